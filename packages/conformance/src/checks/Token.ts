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
const wrongSecretValue = "wrong-0123456789abcdef"
const codeFields = ["grant_type", "code", "client_id", "client_secret", "redirect_uri"]

const unknownCode = required(
  "4.2",
  "an unknown code is 400 invalid_grant",
  exchanging({}, refusal(400, "invalid_grant"))
)

const unknownRefreshToken = required(
  "4.2",
  "an unknown refresh token is 400 invalid_grant",
  refreshing({}, refusal(400, "invalid_grant"))
)

const unknownGrantType = required(
  "7.1",
  "an unknown grant_type is 400 unsupported_grant_type",
  exchanging({ grant_type: "password" }, refusal(400, "unsupported_grant_type"))
)

const grantTypeCase = required(
  "7.1",
  "a grant_type in capitals is 400 unsupported_grant_type",
  exchanging({ grant_type: "AUTHORIZATION_CODE" }, refusal(400, "unsupported_grant_type"))
)

const noGrantType = required(
  "4.2",
  "no grant_type is 400",
  exchanging({ grant_type: undefined }, refusals([400, "invalid_request"], [400, "unsupported_grant_type"]))
)

const noCode = required(
  "4.2",
  "no code is 400 invalid_request",
  exchanging({ code: undefined }, refusal(400, "invalid_request"))
)

const noRedirectUri = required(
  "4.2",
  "no redirect_uri is 400 invalid_request",
  exchanging({ redirect_uri: undefined }, refusal(400, "invalid_request")),
  {
    decisions: [1]
  }
)

const noRefreshToken = required(
  "4.2",
  "no refresh_token is 400 invalid_request",
  refreshing({ refresh_token: undefined }, refusal(400, "invalid_request"))
)

const missingCredentials = ["client_id", "client_secret"].map((name) =>
  required(
    "4.2",
    `no ${name} is 401 invalid_client or 400 invalid_request`,
    exchanging({ [name]: undefined }, refusals([401, "invalid_client"], [400, "invalid_request"])),
    { decisions: [44] }
  )
)

const wrongSecret = required(
  "7.1",
  "a wrong client_secret is 401 invalid_client",
  exchanging({ client_secret: wrongSecretValue }, refusal(401, "invalid_client"))
)

const wrongSecretOnRefresh = required(
  "7.1",
  "a wrong client_secret is 401 invalid_client for a refresh too",
  refreshing({ client_secret: wrongSecretValue }, refusal(401, "invalid_client"))
)

const unknownClient = required(
  "7.1",
  "an unknown client_id is 401 invalid_client",
  exchanging({ client_id: "nobody-0123456789" }, refusal(401, "invalid_client"))
)

const longerSecret = required(
  "7.1",
  "a client_secret with one more character is 401 invalid_client",
  Effect.gen(function* () {
    const secret = yield* Api.setting("clientSecret")
    yield* exchanging({ client_secret: `${secret}x` }, refusal(401, "invalid_client"))
  })
)

const inactiveApplication = required(
  "7.1",
  "an inactive application is 401 invalid_client",
  Effect.gen(function* () {
    yield* exchanging(yield* credentials("inactiveClient"), refusal(401, "invalid_client"))
  }),
  { needs: ["inactiveClient"], decisions: [9] }
)

const bearerInsteadOfSecret = required(
  "4.2",
  "a bearer token does not authenticate the application",
  Effect.gen(function* () {
    const token = yield* Api.setting("accessToken")
    const request = Api.form(path, yield* fields({ client_secret: undefined }), {
      headers: { authorization: `Bearer ${token}` }
    })
    yield* Api.expecting(request, status(400, 401))
  })
)

const refusalHidesSecret = required(
  "7.1",
  "a refusal of credentials does not repeat the secret",
  exchanging({ client_secret: wrongSecretValue }, notInBody(wrongSecretValue, "the secret"))
)

const jsonBody = decided(
  45,
  "4.2",
  "a JSON body is 400 invalid_request",
  Effect.gen(function* () {
    const body = Object.fromEntries(yield* fields({}))
    yield* Api.expecting(Api.post(path, body, { token: "none" }), refusal(400, "invalid_request"))
  })
)

const credentialsInQuery = decided(
  45,
  "4.2",
  "credentials in the query are ignored",
  Effect.gen(function* () {
    const secret = yield* Api.setting("clientSecret")
    const request = Api.form(
      `${path}?client_secret=${encodeURIComponent(secret)}`,
      yield* fields({ client_secret: undefined })
    )
    yield* Api.expecting(request, refusal(401, "invalid_client"))
  })
)

const basicAuthentication = decided(
  45,
  "4.2",
  "HTTP Basic credentials are accepted",
  Effect.gen(function* () {
    const response = yield* basic(yield* Api.setting("clientSecret"), {
      client_id: undefined,
      client_secret: undefined
    })
    yield* Api.verify(response, refusal(400, "invalid_grant"))
  })
)

const wrongBasicSecret = decided(
  45,
  "4.2",
  "a wrong secret in HTTP Basic is 401 invalid_client with a Basic challenge",
  Effect.gen(function* () {
    const response = yield* basic(wrongSecretValue, { client_id: undefined, client_secret: undefined })
    yield* Api.verify(response, refusal(401, "invalid_client"), header("www-authenticate", /^basic\b/i))
  })
)

const basicAndBody = decided(
  45,
  "4.2",
  "credentials in both Basic and the body are 400 invalid_request",
  Effect.gen(function* () {
    const response = yield* basic(yield* Api.setting("clientSecret"), {})
    yield* Api.verify(response, refusal(400, "invalid_request"))
  })
)

const repeatedField = codeFields.map((name) =>
  decided(
    44,
    "4.2",
    `a repeated ${name} is 400 invalid_request`,
    Effect.gen(function* () {
      const given = yield* fields({})
      const twice = given.find(([field]) => field === name) ?? [name, "x"]
      yield* Api.expecting(Api.form(path, [...given, twice]), refusal(400, "invalid_request"))
    })
  )
)

const grantTypeFirst = decided(
  44,
  "4.2",
  "grant_type is checked before the credentials",
  exchanging({ grant_type: "password", client_secret: wrongSecretValue }, refusal(400, "unsupported_grant_type"))
)

const credentialsFirst = decided(
  44,
  "4.2",
  "the credentials are checked before the other fields",
  exchanging({ code: undefined, client_secret: wrongSecretValue }, refusal(401, "invalid_client"))
)

const noSecret = decided(
  44,
  "4.2",
  "no client_secret is 401 invalid_client",
  exchanging({ client_secret: undefined }, refusal(401, "invalid_client"))
)

const unknownField = decided(
  22,
  "4.2",
  "an unknown field is ignored",
  exchanging({ colour: "red" }, refusal(400, "invalid_grant"))
)

const notCached = decided(46, "4.2", "a refusal is not cached either", exchanging({}, notStored))

const jsonRefusal = required("7.1", "a refusal is JSON", exchanging({}, jsonObject), { decisions: [4] })

const refusalBody = decided(
  4,
  "7.1",
  "a refusal has error and error_description",
  exchanging({}, field("error", Matcher.is("invalid_grant")), field("error_description", Matcher.filled))
)

const noChallenge = decided(
  10,
  "7.1",
  "invalid_client is 401 without a challenge unless HTTP Basic was used",
  exchanging({ client_secret: wrongSecretValue }, status(401), noHeader("www-authenticate"))
)

const noTokenOnRefusal = decided(36, "4.2", "a refusal has no token", exchanging({}, noField("access_token")))

/** The token endpoint (contract 4.2): what it refuses. None of these uses anything up. */
export const checks: ReadonlyArray<Check> = [
  unknownCode,
  unknownRefreshToken,
  unknownGrantType,
  grantTypeCase,
  noGrantType,
  noCode,
  noRedirectUri,
  noRefreshToken,
  ...missingCredentials,
  wrongSecret,
  wrongSecretOnRefresh,
  unknownClient,
  longerSecret,
  inactiveApplication,
  bearerInsteadOfSecret,
  refusalHidesSecret,
  jsonBody,
  credentialsInQuery,
  basicAuthentication,
  wrongBasicSecret,
  basicAndBody,
  ...repeatedField,
  grantTypeFirst,
  credentialsFirst,
  noSecret,
  unknownField,
  notCached,
  jsonRefusal,
  refusalBody,
  noChallenge,
  noTokenOnRefusal
]

function exchanging(changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) {
  return Effect.flatMap(fields(changes), (given) => Api.expecting(Api.form(path, given), ...wanted))
}

function refreshing(changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) {
  return exchanging({ ...refreshFields("unknown-token-0123456789abcdef"), ...changes }, ...wanted)
}

function basic(secret: string, changes: TokenFields) {
  return Effect.gen(function* () {
    const id = yield* Api.setting("clientId")
    const encoded = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")
    return yield* Api.send(Api.form(path, yield* fields(changes), { headers: { authorization: `Basic ${encoded}` } }))
  })
}
