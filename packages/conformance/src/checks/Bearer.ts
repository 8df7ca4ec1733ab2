import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import { header, refusal, status, type Expectation } from "../Expectation.ts"
import { endpoints, requestOf, type Endpoint } from "../Endpoints.ts"

const unknown = { token: "never-issued-0123456789abcdefghijklmnopqrstuvwxyz" }

const everyEndpoint = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const { name, scope } = endpoint
  const request = requestOf(endpoint)
  return [
    required(
      "5.1",
      `${name} without a token is 401 invalid_token`,
      Api.expecting({ ...request, token: "none" }, refusal(401, "invalid_token"))
    ),
    required(
      "5.1",
      `${name} with an unknown token is 401 invalid_token`,
      Api.expecting({ ...request, token: unknown }, refusal(401, "invalid_token"))
    ),
    decided(
      11,
      "7.1",
      `${name} without a token has a Bearer challenge without an error`,
      Api.expecting({ ...request, token: "none" }, status(401), header("www-authenticate", /^bearer\b(?!.*\berror=)/i))
    ),
    decided(
      51,
      "5.6",
      `${name} with a wrong token has the Bearer challenge error="invalid_token"`,
      Api.expecting(
        { ...request, token: unknown },
        status(401),
        header("www-authenticate", /^bearer\b.*\berror="?invalid_token\b/i)
      )
    ),
    required(
      "5.6",
      `${name} with a token that lacks ${scope} is 403 insufficient_scope, and WWW-Authenticate names the scope`,
      limited(endpoint, refusal(403, "insufficient_scope"), naming(scope)),
      { needs: ["limitedAccessToken"], decisions: [51] }
    ),
    decided(
      51,
      "5.6",
      `${name} lists its scopes in the Bearer challenge error="insufficient_scope", scope="…"`,
      limited(
        endpoint,
        status(403),
        header("www-authenticate", /^bearer\b.*\berror="?insufficient_scope\b/i),
        listing(scope)
      ),
      { needs: ["limitedAccessToken"] }
    )
  ]
})

const scopeOpensEndpoint = required(
  "5.1",
  "a token with one scope opens the operations of that scope",
  Effect.gen(function* () {
    const { settings } = yield* CheckContext
    const endpoint = endpoints.find(({ method, scope }) => method === "GET" && scope === settings.limitedScope)
    if (endpoint === undefined) return yield* Api.skip(`needs a --limited-scope with an operation that reads`)
    const response = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
    yield* Api.verify(response, endpoint.path.includes("0000") ? status(404) : status(200))
  }),
  { needs: ["limitedAccessToken"] }
)

const tokenInQuery = required(
  "5.1",
  "a token in the query is 401 invalid_token",
  Effect.gen(function* () {
    const token = yield* Api.setting("accessToken")
    const response = yield* Api.send(
      Api.get(`/user/profile?access_token=${encodeURIComponent(token)}`, { token: "none" })
    )
    yield* Api.verify(response, refusal(401, "invalid_token"))
  })
)

const noScheme = required(
  "5.1",
  "a token without the Bearer scheme is 401 invalid_token",
  Effect.gen(function* () {
    const token = yield* Api.setting("accessToken")
    yield* rejected({ token: "none", headers: { authorization: token } })
  })
)

const otherScheme = required(
  "5.1",
  "a token under another scheme is 401 invalid_token",
  Effect.gen(function* () {
    const token = yield* Api.setting("accessToken")
    const headers = { authorization: `Basic ${token}` }
    yield* rejected({ token: "none", headers })
  })
)

const truncatedToken = required(
  "5.1",
  "a truncated token is 401 invalid_token",
  Effect.gen(function* () {
    const token = (yield* Api.setting("accessToken")).slice(0, -1)
    yield* rejected({ token: { token } })
  })
)

const emptyBearer = required(
  "5.1",
  "an empty Bearer is 401 invalid_token",
  rejected({ token: "none", headers: { authorization: "Bearer " } })
)

const schemeCase = required(
  "5.1",
  "the Bearer scheme is case-insensitive",
  Effect.gen(function* () {
    const token = yield* Api.setting("accessToken")
    const headers = { authorization: `bearer ${token}` }
    yield* Api.expecting(Api.get("/user/profile", { token: "none", headers }), status(200))
  })
)

const expiredToken = required(
  "5.1",
  "an expired token is 401 invalid_token",
  rejected({ token: "expiredAccessToken" }),
  { needs: ["expiredAccessToken"] }
)

const taskToken = required(
  "5.7",
  "a task's token is 401 invalid_token for the Open API",
  Effect.gen(function* () {
    const { token } = yield* (yield* CheckContext).task
    yield* rejected({ token: { token } })
  })
)

const clientSecretAsToken = required(
  "5.1",
  "a client secret is 401 invalid_token as a bearer token",
  Effect.gen(function* () {
    const token = yield* Api.setting("clientSecret")
    yield* rejected({ token: { token } })
  })
)

const refreshTokenAsToken = required(
  "5.1",
  "a refresh token is 401 invalid_token as an access token",
  Effect.gen(function* () {
    const token = yield* (yield* CheckContext).refreshToken
    yield* rejected({ token: { token } })
  }),
  { needs: ["refreshToken"] }
)

const inactiveApplication = decided(
  9,
  "7.1",
  "a token of an inactive application is 403 access_denied",
  Api.expecting(Api.get("/user/profile", { token: "inactiveAccessToken" }), refusal(403, "access_denied")),
  { needs: ["inactiveAccessToken"] }
)

/** The bearer token and its scopes (5), on every operation. */
export const checks: ReadonlyArray<Check> = [
  ...everyEndpoint,
  scopeOpensEndpoint,
  tokenInQuery,
  noScheme,
  otherScheme,
  truncatedToken,
  emptyBearer,
  schemeCase,
  expiredToken,
  taskToken,
  clientSecretAsToken,
  refreshTokenAsToken,
  inactiveApplication
]

/** Expects the profile to refuse this token. */
function rejected(options: Api.Options): Run {
  return Api.expecting(Api.get("/user/profile", options), refusal(401, "invalid_token"))
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
