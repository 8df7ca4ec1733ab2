import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import { header, refusal, status, type Expectation } from "../Expectation.ts"
import { endpoints, requestOf, type Endpoint } from "../Endpoints.ts"
import * as Fixtures from "../Fixtures.ts"

const unknown = { token: "never-issued-0123456789abcdefghijklmnopqrstuvwxyz" }
const invalidToken = refusal(401, "invalid_token")

const everyEndpoint = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const { name, scope } = endpoint
  const withToken = (token: "none" | typeof unknown, ...wanted: ReadonlyArray<Expectation>) =>
    Api.send({ ...requestOf(endpoint), token }, ...wanted)
  return [
    required("5.1", `${name} without a token is 401 invalid_token`, withToken("none", invalidToken)),
    required("5.1", `${name} with an unknown token is 401 invalid_token`, withToken(unknown, invalidToken)),
    decided(
      11,
      "7.1",
      `${name} without a token has a Bearer challenge without an error`,
      withToken("none", status(401), header("www-authenticate", /^bearer\b(?!.*\berror=)/i))
    ),
    decided(
      51,
      "5.6",
      `${name} with a wrong token has the Bearer challenge error="invalid_token"`,
      withToken(unknown, status(401), header("www-authenticate", /^bearer\b.*\berror="?invalid_token\b/i))
    ),
    required(
      "5.6",
      `${name} with a token that lacks ${scope} is 403 insufficient_scope, and WWW-Authenticate names the scope`,
      { needs: ["limitedAccessToken"], decisions: [51] },
      limited(endpoint, refusal(403, "insufficient_scope"), naming(scope))
    ),
    decided(
      51,
      "5.6",
      `${name} lists its scopes in the Bearer challenge error="insufficient_scope", scope="…"`,
      { needs: ["limitedAccessToken"] },
      limited(
        endpoint,
        status(403),
        header("www-authenticate", /^bearer\b.*\berror="?insufficient_scope\b/i),
        listing(scope)
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
      const found = endpoint.path.includes("0000") ? 404 : 200
      return yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" }, status(found))
    }
  ),
  required("5.1", "a token in the query is 401 invalid_token", function* () {
    const query = `?access_token=${encodeURIComponent(yield* Api.setting("accessToken"))}`
    yield* Api.send(Api.get(`/user/profile${query}`, { token: "none" }), invalidToken)
  }),
  required("5.1", "a token without the Bearer scheme is 401 invalid_token", function* () {
    yield* authorize(yield* Api.setting("accessToken"), invalidToken)
  }),
  required("5.1", "a token under another scheme is 401 invalid_token", function* () {
    yield* authorize(`Basic ${yield* Api.setting("accessToken")}`, invalidToken)
  }),
  required("5.1", "a truncated token is 401 invalid_token", function* () {
    yield* rejected({ token: (yield* Api.setting("accessToken")).slice(0, -1) })
  }),
  required("5.1", "an empty Bearer is 401 invalid_token", authorize("Bearer ", invalidToken)),
  required("5.1", "the Bearer scheme is case-insensitive", function* () {
    yield* authorize(`bearer ${yield* Api.setting("accessToken")}`, status(200))
  })
]

const otherTokens: ReadonlyArray<Check> = [
  required(
    "5.1",
    "an expired token is 401 invalid_token",
    { needs: ["expiredAccessToken"] },
    rejected("expiredAccessToken")
  ),
  required("5.7", "a task's token is 401 invalid_token for the Open API", function* () {
    const { token } = yield* Fixtures.task
    yield* rejected({ token })
  }),
  required("5.1", "a client secret is 401 invalid_token as a bearer token", function* () {
    yield* rejected({ token: yield* Api.setting("clientSecret") })
  }),
  required("5.1", "a refresh token is 401 invalid_token as an access token", { needs: ["refreshToken"] }, function* () {
    yield* rejected({ token: yield* (yield* CheckContext).refreshToken })
  }),
  decided(
    9,
    "7.1",
    "a token of an inactive application is 403 access_denied",
    { needs: ["inactiveAccessToken"] },
    Api.send(Api.get("/user/profile", { token: "inactiveAccessToken" }), refusal(403, "access_denied"))
  )
]

/** The bearer token and its scopes (5), on every operation. */
export const checks = [...everyEndpoint, ...schemes, ...otherTokens]

/** Expects the profile to refuse this token. */
function rejected(token: NonNullable<Api.Options["token"]>): Run {
  return Api.send(Api.get("/user/profile", { token }), invalidToken)
}

/** Reads the profile with this Authorization header. */
function authorize(authorization: string, wanted: Expectation): Run {
  return Api.send(Api.get("/user/profile", { token: "none", headers: { authorization } }), wanted)
}

/** Calls an endpoint with the limited token. The one operation that the token may call must not be refused with 403. */
function limited(endpoint: Endpoint, ...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.gen(function* () {
    const { settings } = yield* CheckContext
    const response = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
    yield* settings.limitedScope === endpoint.scope
      ? Api.assert(response.status !== 403, "a token with the scope is not refused with 403")
      : Api.verify(response, ...wanted)
  })
}

function naming(scope: string): Expectation {
  return header("www-authenticate", new RegExp(scope.replaceAll(".", "\\.")))
}

function listing(scope: string): Expectation {
  return header("www-authenticate", new RegExp(`\\bscope="([^"]* )?${scope.replaceAll(".", "\\.")}( [^"]*)?"`))
}
