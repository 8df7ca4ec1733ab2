import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import { header, errorResponse, status, type Expectation } from "../Expectation.ts"
import { endpoints, requestOf, type Endpoint } from "../Endpoints.ts"
import * as Fixtures from "../Fixtures.ts"

const unknownToken = { token: "never-issued-0123456789abcdefghijklmnopqrstuvwxyz" }
/** The document does not show the body of a refusal. */
const unauthorized = status(401)

const everyEndpoint = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const { name, scope } = endpoint
  const withToken = (token: "none" | typeof unknownToken, ...expectations: ReadonlyArray<Expectation>) =>
    Api.send({ ...requestOf(endpoint), token }, ...expectations)
  return [
    required("5.1", `${name} without a token is 401`, withToken("none", unauthorized)),
    required("5.1", `${name} with an unknown token is 401`, withToken(unknownToken, unauthorized)),
    decided(
      "7.1",
      `${name} without a token is 401 invalid_token`,
      { decisions: [11] },
      withToken("none", errorResponse(401, "invalid_token"))
    ),
    decided(
      "7.1",
      `${name} with an unknown token is 401 invalid_token`,
      { decisions: [4] },
      withToken(unknownToken, errorResponse(401, "invalid_token"))
    ),
    decided(
      "7.1",
      `${name} without a token has a Bearer challenge without an error`,
      { decisions: [11] },
      withToken("none", status(401), header("www-authenticate", /^bearer\b(?!.*\berror=)/i))
    ),
    decided(
      "5.6",
      `${name} with a wrong token has the Bearer challenge error="invalid_token"`,
      { decisions: [51] },
      withToken(unknownToken, status(401), header("www-authenticate", /^bearer\b.*\berror="?invalid_token\b/i))
    ),
    required(
      "5.6",
      `${name} with a token that lacks ${scope} is 403 insufficient_scope, and WWW-Authenticate names the scope`,
      { needs: ["limitedAccessToken"], decisions: [51] },
      callWithLimitedToken(endpoint, errorResponse(403, "insufficient_scope"), challengeNames(scope))
    ),
    decided(
      "5.6",
      `${name} lists its scopes in the Bearer challenge error="insufficient_scope", scope="…"`,
      { needs: ["limitedAccessToken"], decisions: [51] },
      callWithLimitedToken(
        endpoint,
        status(403),
        header("www-authenticate", /^bearer\b.*\berror="?insufficient_scope\b/i),
        challengeLists(scope)
      )
    )
  ]
})

const schemes: ReadonlyArray<Check> = [
  required(
    "5.1",
    "a token with one scope opens the operations of that scope",
    { needs: ["limitedAccessToken"] },
    function* () {
      const { settings } = yield* CheckContext
      const endpoint = endpoints.find(({ method, scope }) => method === "GET" && scope === settings.limitedScope)
      if (endpoint === undefined) return yield* Api.skip(`needs a --limited-scope with an operation that reads`)
      const expectedStatus = endpoint.path.includes("0000") ? 404 : 200
      return yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" }, status(expectedStatus))
    }
  ),
  required("5.1", "a token in the query is 401", function* () {
    const query = `?access_token=${encodeURIComponent(yield* Api.setting("accessToken"))}`
    yield* Api.send(Api.get(`/user/profile${query}`, { token: "none" }), unauthorized)
  }),
  required("5.1", "a token without the Bearer scheme is 401", function* () {
    yield* sendAuthorization(yield* Api.setting("accessToken"), unauthorized)
  }),
  required("5.1", "a token under another scheme is 401", function* () {
    yield* sendAuthorization(`Basic ${yield* Api.setting("accessToken")}`, unauthorized)
  }),
  required("5.1", "a truncated token is 401", function* () {
    yield* expectUnauthorized({ token: (yield* Api.setting("accessToken")).slice(0, -1) })
  }),
  required("5.1", "an empty Bearer is 401", sendAuthorization("Bearer ", unauthorized)),
  required("5.1", "the Bearer scheme is case-insensitive", function* () {
    yield* sendAuthorization(`bearer ${yield* Api.setting("accessToken")}`, status(200))
  })
]

const otherTokens: ReadonlyArray<Check> = [
  required(
    "5.1",
    "an expired token is 401",
    { needs: ["expiredAccessToken"] },
    expectUnauthorized("expiredAccessToken")
  ),
  required("5.7", "a task's token is 401 for the Open API", function* () {
    const { token } = yield* Fixtures.task
    yield* expectUnauthorized({ token })
  }),
  required("5.1", "a client secret is 401 as a bearer token", function* () {
    yield* expectUnauthorized({ token: yield* Api.setting("clientSecret") })
  }),
  required("5.1", "a refresh token is 401 as an access token", { needs: ["refreshToken"] }, function* () {
    yield* expectUnauthorized({ token: yield* (yield* CheckContext).refreshToken })
  }),
  decided(
    "7.1",
    "a token of an inactive application is 403 access_denied",
    { needs: ["inactiveAccessToken"], decisions: [9] },
    Api.send(Api.get("/user/profile", { token: "inactiveAccessToken" }), errorResponse(403, "access_denied"))
  )
]

/** The bearer token and its scopes (5), on every operation. */
export const checks = [...everyEndpoint, ...schemes, ...otherTokens]

/** Expects the profile to refuse this token. */
function expectUnauthorized(token: NonNullable<Api.Options["token"]>): Run {
  return Api.send(Api.get("/user/profile", { token }), unauthorized)
}

/** Reads the profile with this Authorization header. */
function sendAuthorization(authorization: string, expectation: Expectation): Run {
  return Api.send(Api.get("/user/profile", { token: "none", headers: { authorization } }), expectation)
}

/** Calls an endpoint with the limited token. The one operation that the token may call must not be refused with 403. */
function callWithLimitedToken(endpoint: Endpoint, ...expectations: ReadonlyArray<Expectation>): Run {
  return Effect.gen(function* () {
    const { settings } = yield* CheckContext
    const response = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
    yield* settings.limitedScope === endpoint.scope
      ? Api.assert(response.status !== 403, "a token with the scope is not refused with 403")
      : Api.verify(response, ...expectations)
  })
}

function challengeNames(scope: string): Expectation {
  return header("www-authenticate", new RegExp(scope.replaceAll(".", "\\.")))
}

function challengeLists(scope: string): Expectation {
  return header("www-authenticate", new RegExp(`\\bscope="([^"]* )?${scope.replaceAll(".", "\\.")}( [^"]*)?"`))
}
