import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { endpoints, requestOf, type Endpoint } from "../Endpoints.ts"
import { header, refusal, status, type Expectation } from "../Expect.ts"
import { Wire } from "../Wire.ts"

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
      `${name} with a token that was never issued is 401 invalid_token`,
      Api.expecting({ ...request, token: unknown }, refusal(401, "invalid_token"))
    ),
    ruling(
      11,
      "7.1",
      `${name} without a token is challenged by Bearer without an error`,
      Api.expecting({ ...request, token: "none" }, status(401), header("www-authenticate", /^bearer\b(?!.*\berror=)/i))
    ),
    ruling(
      51,
      "5.6",
      `${name} with a wrong token is challenged by Bearer error="invalid_token"`,
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
    ruling(
      51,
      "5.6",
      `${name} lists the scopes it needs as Bearer error="insufficient_scope", scope="…"`,
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
  "a token with its one scope opens what that scope is for",
  Effect.gen(function* () {
    const { settings } = yield* Wire
    const endpoint = endpoints.find(({ method, scope }) => method === "GET" && scope === settings.limitedScope)
    if (endpoint === undefined) return yield* Api.skip(`needs a --limited-scope with an operation that reads`)
    const answer = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
    yield* Api.verify(answer, endpoint.path.includes("0000") ? status(404) : status(200))
  }),
  { needs: ["limitedAccessToken"] }
)

const tokenInQuery = required(
  "5.1",
  "a token in the query is not one",
  Effect.gen(function* () {
    const token = yield* Api.given("accessToken")
    const answer = yield* Api.send(
      Api.get(`/user/profile?access_token=${encodeURIComponent(token)}`, { token: "none" })
    )
    yield* Api.verify(answer, refusal(401, "invalid_token"))
  })
)

const noScheme = required(
  "5.1",
  "a token without the Bearer scheme is 401 invalid_token",
  Effect.gen(function* () {
    const token = yield* Api.given("accessToken")
    const answer = yield* Api.send(Api.get("/user/profile", { token: "none", headers: { authorization: token } }))
    yield* Api.verify(answer, refusal(401, "invalid_token"))
  })
)

const otherScheme = required(
  "5.1",
  "a token under another scheme is 401 invalid_token",
  Effect.gen(function* () {
    const token = yield* Api.given("accessToken")
    const headers = { authorization: `Basic ${token}` }
    yield* Api.expecting(Api.get("/user/profile", { token: "none", headers }), refusal(401, "invalid_token"))
  })
)

const truncatedToken = required(
  "5.1",
  "a token that was cut short is 401 invalid_token",
  Effect.gen(function* () {
    const token = (yield* Api.given("accessToken")).slice(0, -1)
    yield* Api.expecting(Api.get("/user/profile", { token: { token } }), refusal(401, "invalid_token"))
  })
)

const emptyBearer = required(
  "5.1",
  "an empty Bearer is 401 invalid_token",
  Api.expecting(
    Api.get("/user/profile", { token: "none", headers: { authorization: "Bearer " } }),
    refusal(401, "invalid_token")
  )
)

const schemeCase = required(
  "5.1",
  "the scheme is read in any case, as HTTP has it",
  Effect.gen(function* () {
    const token = yield* Api.given("accessToken")
    const headers = { authorization: `bearer ${token}` }
    yield* Api.expecting(Api.get("/user/profile", { token: "none", headers }), status(200))
  })
)

const expiredToken = required(
  "5.1",
  "a token that has expired is 401 invalid_token",
  Api.expecting(Api.get("/user/profile", { token: "expiredAccessToken" }), refusal(401, "invalid_token")),
  { needs: ["expiredAccessToken"] }
)

const taskToken = required(
  "5.7",
  "a task's token opens no operation of the Open API",
  Effect.gen(function* () {
    const { token } = yield* (yield* Wire).task
    yield* Api.expecting(Api.get("/user/profile", { token: { token } }), refusal(401, "invalid_token"))
  })
)

const clientSecretAsToken = required(
  "5.1",
  "client credentials are no bearer token",
  Effect.gen(function* () {
    const token = yield* Api.given("clientSecret")
    yield* Api.expecting(Api.get("/user/profile", { token: { token } }), refusal(401, "invalid_token"))
  })
)

const refreshTokenAsToken = required(
  "5.1",
  "a refresh token is no access token",
  Effect.gen(function* () {
    const token = yield* (yield* Wire).refreshToken
    yield* Api.expecting(Api.get("/user/profile", { token: { token } }), refusal(401, "invalid_token"))
  }),
  { needs: ["refreshToken"] }
)

const inactiveApplication = ruling(
  9,
  "7.1",
  "a token of an application that is not active is 403 access_denied",
  Api.expecting(Api.get("/user/profile", { token: "inactiveAccessToken" }), refusal(403, "access_denied")),
  { needs: ["inactiveAccessToken"] }
)

/** Who may call what: the bearer token and its scopes (5), on every operation. */
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

/** Calls an endpoint with the limited token; the one operation that it opens has nothing to refuse. */
function limited(endpoint: Endpoint, ...wanted: ReadonlyArray<Expectation>) {
  return Effect.gen(function* () {
    const { settings } = yield* Wire
    if (settings.limitedScope === endpoint.scope) {
      // The counterpart of the rule: this one must not be refused for its scope.
      const answer = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
      return yield* Api.claim(answer.status !== 403, "a token with the scope is not refused with 403")
    }
    const answer = yield* Api.send({ ...requestOf(endpoint), token: "limitedAccessToken" })
    return yield* Api.verify(answer, ...wanted)
  })
}

function naming(scope: string): Expectation {
  return header("www-authenticate", new RegExp(scope.replaceAll(".", "\\.")))
}

function listing(scope: string): Expectation {
  return header("www-authenticate", new RegExp(`\\bscope="([^"]* )?${scope.replaceAll(".", "\\.")}( [^"]*)?"`))
}
