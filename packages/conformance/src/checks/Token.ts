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
  refusal,
  refusals,
  status,
  field,
  type Expectation
} from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, fields, refreshFields, type TokenFields } from "../TokenEndpoint.ts"

const path = "/token"
const wrongSecret = "wrong-0123456789abcdef"
const noCredentials = { client_id: undefined, client_secret: undefined }
const invalidRequest = refusal(400, "invalid_request")
const invalidGrant = refusal(400, "invalid_grant")
const unsupportedGrantType = refusal(400, "unsupported_grant_type")
const invalidClient = refusal(401, "invalid_client")

const grants: ReadonlyArray<Check> = [
  required("4.2", "an unknown code is 400 invalid_grant", exchanging({}, invalidGrant)),
  required("4.2", "an unknown refresh token is 400 invalid_grant", refreshing({}, invalidGrant)),
  required(
    "7.1",
    "an unknown grant_type is 400 unsupported_grant_type",
    exchanging({ grant_type: "password" }, unsupportedGrantType)
  ),
  required(
    "7.1",
    "a grant_type in capitals is 400 unsupported_grant_type",
    exchanging({ grant_type: "AUTHORIZATION_CODE" }, unsupportedGrantType)
  ),
  required(
    "4.2",
    "no grant_type is 400",
    exchanging({ grant_type: undefined }, refusals([400, "invalid_request"], [400, "unsupported_grant_type"]))
  ),
  required("4.2", "no code is 400 invalid_request", exchanging({ code: undefined }, invalidRequest)),
  required(
    "4.2",
    "no redirect_uri is 400 invalid_request",
    { decisions: [1] },
    exchanging({ redirect_uri: undefined }, invalidRequest)
  ),
  required("4.2", "no refresh_token is 400 invalid_request", refreshing({ refresh_token: undefined }, invalidRequest))
]

const clients: ReadonlyArray<Check> = [
  ...["client_id", "client_secret"].map((name) =>
    required(
      "4.2",
      `no ${name} is 401 invalid_client or 400 invalid_request`,
      { decisions: [44] },
      exchanging({ [name]: undefined }, refusals([401, "invalid_client"], [400, "invalid_request"]))
    )
  ),
  required(
    "7.1",
    "a wrong client_secret is 401 invalid_client",
    exchanging({ client_secret: wrongSecret }, invalidClient)
  ),
  required(
    "7.1",
    "a wrong client_secret is 401 invalid_client for a refresh too",
    refreshing({ client_secret: wrongSecret }, invalidClient)
  ),
  required(
    "7.1",
    "an unknown client_id is 401 invalid_client",
    exchanging({ client_id: "nobody-0123456789" }, invalidClient)
  ),
  required("7.1", "a client_secret with one more character is 401 invalid_client", function* () {
    yield* exchanging({ client_secret: `${yield* Api.setting("clientSecret")}x` }, invalidClient)
  }),
  required(
    "7.1",
    "an inactive application is 401 invalid_client",
    { needs: ["inactiveClient"], decisions: [9] },
    Effect.flatMap(credentials("inactiveClient"), (inactive) => exchanging(inactive, invalidClient))
  ),
  required("4.2", "a bearer token does not authenticate the application", function* () {
    const headers = { authorization: `Bearer ${yield* Api.setting("accessToken")}` }
    yield* Api.send(Api.form(path, yield* fields({ client_secret: undefined }), { headers }), status(400, 401))
  }),
  required(
    "7.1",
    "a refusal of credentials does not repeat the secret",
    exchanging({ client_secret: wrongSecret }, notInBody(wrongSecret, "the secret"))
  )
]

const encodings: ReadonlyArray<Check> = [
  decided(45, "4.2", "a JSON body is 400 invalid_request", function* () {
    const body = Object.fromEntries(yield* fields({}))
    yield* Api.send(Api.post(path, body, { token: "none" }), invalidRequest)
  }),
  decided(45, "4.2", "credentials in the query are ignored", function* () {
    const query = `?client_secret=${encodeURIComponent(yield* Api.setting("clientSecret"))}`
    yield* Api.send(Api.form(`${path}${query}`, yield* fields({ client_secret: undefined })), invalidClient)
  }),
  decided(45, "4.2", "HTTP Basic credentials are accepted", function* () {
    yield* basic(yield* Api.setting("clientSecret"), noCredentials, invalidGrant)
  }),
  decided(
    45,
    "4.2",
    "a wrong secret in HTTP Basic is 401 invalid_client with a Basic challenge",
    basic(wrongSecret, noCredentials, invalidClient, header("www-authenticate", /^basic\b/i))
  ),
  decided(45, "4.2", "credentials in both Basic and the body are 400 invalid_request", function* () {
    yield* basic(yield* Api.setting("clientSecret"), {}, invalidRequest)
  }),
  ...["grant_type", "code", "client_id", "client_secret", "redirect_uri"].map((name) =>
    decided(44, "4.2", `a repeated ${name} is 400 invalid_request`, function* () {
      const given = yield* fields({})
      const twice = given.find(([field]) => field === name) ?? [name, "x"]
      yield* Api.send(Api.form(path, [...given, twice]), invalidRequest)
    })
  )
]

const precedence: ReadonlyArray<Check> = [
  decided(
    44,
    "4.2",
    "grant_type is checked before the credentials",
    exchanging({ grant_type: "password", client_secret: wrongSecret }, unsupportedGrantType)
  ),
  decided(
    44,
    "4.2",
    "the credentials are checked before the other fields",
    exchanging({ code: undefined, client_secret: wrongSecret }, invalidClient)
  ),
  decided(44, "4.2", "no client_secret is 401 invalid_client", exchanging({ client_secret: undefined }, invalidClient)),
  decided(22, "4.2", "an unknown field is ignored", exchanging({ colour: "red" }, invalidGrant))
]

const refusalFormat: ReadonlyArray<Check> = [
  decided(46, "4.2", "a refusal is not cached either", exchanging({}, notStored)),
  required("7.1", "a refusal is JSON", { decisions: [4] }, exchanging({}, jsonObject)),
  decided(
    4,
    "7.1",
    "a refusal has error and error_description",
    exchanging({}, field("error", Matcher.is("invalid_grant")), field("error_description", Matcher.filled))
  ),
  decided(
    10,
    "7.1",
    "invalid_client is 401 without a challenge unless HTTP Basic was used",
    exchanging({ client_secret: wrongSecret }, status(401), noHeader("www-authenticate"))
  ),
  decided(36, "4.2", "a refusal has no token", exchanging({}, noField("access_token")))
]

/** The token endpoint (contract 4.2): what it refuses. None of these uses anything up. */
export const checks = [...grants, ...clients, ...encodings, ...precedence, ...refusalFormat]

function exchanging(changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) {
  return Effect.flatMap(fields(changes), (given) => Api.send(Api.form(path, given), ...wanted))
}

function refreshing(changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) {
  return exchanging({ ...refreshFields("unknown-token-0123456789abcdef"), ...changes }, ...wanted)
}

function basic(secret: string, changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) {
  return Effect.gen(function* () {
    const id = yield* Api.setting("clientId")
    const encoded = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")
    const headers = { authorization: `Basic ${encoded}` }
    return yield* Api.send(Api.form(path, yield* fields(changes), { headers }), ...wanted)
  })
}
