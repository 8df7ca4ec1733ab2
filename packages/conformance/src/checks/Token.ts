import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import {
  header,
  jsonObject,
  noField,
  noHeader,
  notStored,
  notInBody,
  errorResponse,
  errorResponses,
  status,
  field,
  type Expectation
} from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, unknownCodeFields, refreshFields, type TokenFields } from "../TokenEndpoint.ts"

const path = "/token"
const wrongSecret = "wrong-0123456789abcdef"
const noCredentials = { client_id: undefined, client_secret: undefined }
const invalidRequest = errorResponse(400, "invalid_request")
const invalidGrant = errorResponse(400, "invalid_grant")
const unsupportedGrantType = errorResponse(400, "unsupported_grant_type")
const invalidClient = errorResponse(401, "invalid_client")

const grants: ReadonlyArray<Check> = [
  required("4.2", "an unknown code is 400 invalid_grant", exchangeUnknownCode({}, invalidGrant)),
  required("4.2", "an unknown refresh token is 400 invalid_grant", refreshUnknownToken({}, invalidGrant)),
  required(
    "7.1",
    "an unknown grant_type is 400 unsupported_grant_type",
    exchangeUnknownCode({ grant_type: "password" }, unsupportedGrantType)
  ),
  required(
    "7.1",
    "a grant_type in capitals is 400 unsupported_grant_type",
    exchangeUnknownCode({ grant_type: "AUTHORIZATION_CODE" }, unsupportedGrantType)
  ),
  required(
    "4.2",
    "no grant_type is 400",
    exchangeUnknownCode(
      { grant_type: undefined },
      errorResponses([400, "invalid_request"], [400, "unsupported_grant_type"])
    )
  ),
  required("4.2", "no code is 400 invalid_request", exchangeUnknownCode({ code: undefined }, invalidRequest)),
  required(
    "4.2",
    "no redirect_uri is 400 invalid_request",
    { decisions: [1] },
    exchangeUnknownCode({ redirect_uri: undefined }, invalidRequest)
  ),
  required(
    "4.2",
    "no refresh_token is 400 invalid_request",
    refreshUnknownToken({ refresh_token: undefined }, invalidRequest)
  )
]

const clients: ReadonlyArray<Check> = [
  ...["client_id", "client_secret"].map((name) =>
    required(
      "4.2",
      `no ${name} is 401 invalid_client or 400 invalid_request`,
      { decisions: [44] },
      exchangeUnknownCode({ [name]: undefined }, errorResponses([401, "invalid_client"], [400, "invalid_request"]))
    )
  ),
  required(
    "7.1",
    "a wrong client_secret is 401 invalid_client",
    exchangeUnknownCode({ client_secret: wrongSecret }, invalidClient)
  ),
  required(
    "7.1",
    "a wrong client_secret is 401 invalid_client for a refresh too",
    refreshUnknownToken({ client_secret: wrongSecret }, invalidClient)
  ),
  required(
    "7.1",
    "an unknown client_id is 401 invalid_client",
    exchangeUnknownCode({ client_id: "nobody-0123456789" }, invalidClient)
  ),
  required("7.1", "a client_secret with one more character is 401 invalid_client", function* () {
    yield* exchangeUnknownCode({ client_secret: `${yield* Api.setting("clientSecret")}x` }, invalidClient)
  }),
  required(
    "7.1",
    "an inactive application is 401 invalid_client",
    { needs: ["inactiveClient"], decisions: [9] },
    Effect.flatMap(credentials("inactiveClient"), (inactive) => exchangeUnknownCode(inactive, invalidClient))
  ),
  required("4.2", "a bearer token does not authenticate the application", function* () {
    const headers = { authorization: `Bearer ${yield* Api.setting("accessToken")}` }
    yield* Api.send(
      Api.postForm(path, yield* unknownCodeFields({ client_secret: undefined }), { headers }),
      status(400, 401)
    )
  }),
  required(
    "7.1",
    "a refusal of credentials does not repeat the secret",
    exchangeUnknownCode({ client_secret: wrongSecret }, notInBody(wrongSecret, "the secret"))
  )
]

const encodings: ReadonlyArray<Check> = [
  decided("4.2", "a JSON body is 400 invalid_request", { decisions: [45] }, function* () {
    const body = Object.fromEntries(yield* unknownCodeFields({}))
    yield* Api.send(Api.post(path, body, { token: "none" }), invalidRequest)
  }),
  decided("4.2", "credentials in the query are ignored", { decisions: [45] }, function* () {
    const query = `?client_secret=${encodeURIComponent(yield* Api.setting("clientSecret"))}`
    yield* Api.send(
      Api.postForm(`${path}${query}`, yield* unknownCodeFields({ client_secret: undefined })),
      invalidClient
    )
  }),
  decided("4.2", "HTTP Basic credentials are accepted", { decisions: [45] }, function* () {
    yield* exchangeWithBasic(yield* Api.setting("clientSecret"), noCredentials, invalidGrant)
  }),
  decided(
    "4.2",
    "a wrong secret in HTTP Basic is 401 invalid_client with a Basic challenge",
    { decisions: [45] },
    exchangeWithBasic(wrongSecret, noCredentials, invalidClient, header("www-authenticate", /^basic\b/i))
  ),
  decided("4.2", "credentials in both Basic and the body are 400 invalid_request", { decisions: [45] }, function* () {
    yield* exchangeWithBasic(yield* Api.setting("clientSecret"), {}, invalidRequest)
  }),
  ...["grant_type", "code", "client_id", "client_secret", "redirect_uri"].map((name) =>
    decided("4.2", `a repeated ${name} is 400 invalid_request`, { decisions: [44] }, function* () {
      const original = yield* unknownCodeFields({})
      const repeated = original.find(([field]) => field === name) ?? [name, "x"]
      yield* Api.send(Api.postForm(path, [...original, repeated]), invalidRequest)
    })
  )
]

const precedence: ReadonlyArray<Check> = [
  decided(
    "4.2",
    "grant_type is checked before the credentials",
    { decisions: [44] },
    exchangeUnknownCode({ grant_type: "password", client_secret: wrongSecret }, unsupportedGrantType)
  ),
  decided(
    "4.2",
    "the credentials are checked before the other fields",
    { decisions: [44] },
    exchangeUnknownCode({ code: undefined, client_secret: wrongSecret }, invalidClient)
  ),
  decided(
    "4.2",
    "no client_secret is 401 invalid_client",
    { decisions: [44] },
    exchangeUnknownCode({ client_secret: undefined }, invalidClient)
  ),
  decided(
    "4.2",
    "an unknown field is ignored",
    { decisions: [22] },
    exchangeUnknownCode({ colour: "red" }, invalidGrant)
  )
]

const refusalFormat: ReadonlyArray<Check> = [
  decided("4.2", "a refusal is not cached either", { decisions: [46] }, exchangeUnknownCode({}, notStored)),
  required("7.1", "a refusal is JSON", { decisions: [4] }, exchangeUnknownCode({}, jsonObject)),
  decided(
    "7.1",
    "a refusal has error and error_description",
    { decisions: [4] },
    exchangeUnknownCode(
      {},
      field("error", Matcher.is("invalid_grant")),
      field("error_description", Matcher.nonEmptyString)
    )
  ),
  decided(
    "7.1",
    "invalid_client is 401 without a challenge unless HTTP Basic was used",
    { decisions: [10] },
    exchangeUnknownCode({ client_secret: wrongSecret }, status(401), noHeader("www-authenticate"))
  ),
  decided("4.2", "a refusal has no token", { decisions: [36] }, exchangeUnknownCode({}, noField("access_token")))
]

/** The token endpoint (contract 4.2): its error responses. These checks use up no code and no token. */
export const checks = [...grants, ...clients, ...encodings, ...precedence, ...refusalFormat]

/** Exchanges an unknown code; `changes` replace or, with undefined, leave out fields. */
function exchangeUnknownCode(changes: TokenFields, ...expectations: ReadonlyArray<Expectation>) {
  return Effect.flatMap(unknownCodeFields(changes), (form) => Api.send(Api.postForm(path, form), ...expectations))
}

/** Refreshes with an unknown refresh token: the code exchange, its fields changed to those of a refresh. */
function refreshUnknownToken(changes: TokenFields, ...expectations: ReadonlyArray<Expectation>) {
  return exchangeUnknownCode({ ...refreshFields("unknown-token-0123456789abcdef"), ...changes }, ...expectations)
}

/** Exchanges an unknown code with credentials in HTTP Basic. */
function exchangeWithBasic(secret: string, changes: TokenFields, ...expectations: ReadonlyArray<Expectation>) {
  return Effect.gen(function* () {
    const id = yield* Api.setting("clientId")
    const encoded = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")
    const headers = { authorization: `Basic ${encoded}` }
    return yield* Api.send(Api.postForm(path, yield* unknownCodeFields(changes), { headers }), ...expectations)
  })
}
