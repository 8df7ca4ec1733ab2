import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { field, header, jsonObject, noField, noHeader, nowhere, refusal, refusals, status } from "../Expect.ts"
import * as Shape from "../Shape.ts"

const path = "/token"
const codeFields = ["grant_type", "code", "client_id", "client_secret", "redirect_uri"]

const unknownCode = required("4.2", "an unknown code is 400 invalid_grant", asking({}, refusal(400, "invalid_grant")))

const unknownRefreshToken = required(
  "4.2",
  "an unknown refresh token is 400 invalid_grant",
  refreshing({}, refusal(400, "invalid_grant"))
)

const unknownGrantType = required(
  "7.1",
  "another grant_type is 400 unsupported_grant_type",
  asking({ grant_type: "password" }, refusal(400, "unsupported_grant_type"))
)

const grantTypeCase = required(
  "7.1",
  "a grant_type in capitals is 400 unsupported_grant_type",
  asking({ grant_type: "AUTHORIZATION_CODE" }, refusal(400, "unsupported_grant_type"))
)

const noGrantType = required(
  "4.2",
  "no grant_type is 400",
  asking({ grant_type: undefined }, refusals([400, "invalid_request"], [400, "unsupported_grant_type"]))
)

const noCode = required(
  "4.2",
  "no code is 400 invalid_request",
  asking({ code: undefined }, refusal(400, "invalid_request"))
)

const noRedirectUri = required(
  "4.2",
  "no redirect_uri is 400 invalid_request",
  asking({ redirect_uri: undefined }, refusal(400, "invalid_request")),
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
    asking({ [name]: undefined }, refusals([401, "invalid_client"], [400, "invalid_request"])),
    { decisions: [44] }
  )
)

const wrongSecret = required(
  "7.1",
  "a wrong client_secret is 401 invalid_client",
  asking({ client_secret: "wrong-0123456789abcdef" }, refusal(401, "invalid_client"))
)

const wrongSecretOnRefresh = required(
  "7.1",
  "a wrong client_secret is 401 invalid_client for a refresh too",
  refreshing({ client_secret: "wrong-0123456789abcdef" }, refusal(401, "invalid_client"))
)

const unknownClient = required(
  "7.1",
  "an unknown client_id is 401 invalid_client",
  asking({ client_id: "nobody-0123456789" }, refusal(401, "invalid_client"))
)

const longerSecret = required(
  "7.1",
  "a client_secret with a letter more is 401 invalid_client",
  Effect.gen(function* () {
    const secret = yield* Api.given("clientSecret")
    yield* asking({ client_secret: `${secret}x` }, refusal(401, "invalid_client"))
  })
)

const inactiveApplication = required(
  "7.1",
  "an application that is not active is 401 invalid_client",
  Effect.gen(function* () {
    const [id = "", secret = ""] = (yield* Api.given("inactiveClient")).split(/:(.*)/s)
    yield* asking({ client_id: id, client_secret: secret }, refusal(401, "invalid_client"))
  }),
  { needs: ["inactiveClient"], decisions: [9] }
)

const bearerInsteadOfSecret = required(
  "4.2",
  "the application is known by its secret, not by a bearer token",
  Effect.gen(function* () {
    const token = yield* Api.given("accessToken")
    const request = Api.form(path, yield* fields({ client_secret: undefined }), {
      headers: { authorization: `Bearer ${token}` }
    })
    yield* Api.expecting(request, status(400, 401))
  })
)

const refusalHidesSecret = required(
  "7.1",
  "a refusal of credentials does not repeat the secret",
  asking({ client_secret: "wrong-0123456789abcdef" }, nowhere("wrong-0123456789abcdef", "the secret"))
)

const jsonBody = ruling(
  45,
  "4.2",
  "a JSON body is 400 invalid_request",
  Effect.gen(function* () {
    const body = Object.fromEntries(yield* fields({}))
    yield* Api.expecting(Api.post(path, body, { token: "none" }), refusal(400, "invalid_request"))
  })
)

const credentialsInQuery = ruling(
  45,
  "4.2",
  "credentials in the query are not read",
  Effect.gen(function* () {
    const secret = yield* Api.given("clientSecret")
    const request = Api.form(
      `${path}?client_secret=${encodeURIComponent(secret)}`,
      yield* fields({ client_secret: undefined })
    )
    yield* Api.expecting(request, refusal(401, "invalid_client"))
  })
)

const basicAuthentication = ruling(
  45,
  "4.2",
  "HTTP Basic is taken for the credentials",
  Effect.gen(function* () {
    const answer = yield* basic(yield* Api.given("clientSecret"), { client_id: undefined, client_secret: undefined })
    yield* Api.verify(answer, refusal(400, "invalid_grant"))
  })
)

const wrongBasicSecret = ruling(
  45,
  "4.2",
  "a wrong secret in HTTP Basic is 401 invalid_client, challenged by Basic",
  Effect.gen(function* () {
    const answer = yield* basic("wrong-0123456789abcdef", { client_id: undefined, client_secret: undefined })
    yield* Api.verify(answer, refusal(401, "invalid_client"), header("www-authenticate", /^basic\b/i))
  })
)

const basicAndBody = ruling(
  45,
  "4.2",
  "credentials in Basic and in the body are 400 invalid_request",
  Effect.gen(function* () {
    const answer = yield* basic(yield* Api.given("clientSecret"), {})
    yield* Api.verify(answer, refusal(400, "invalid_request"))
  })
)

const repeatedField = codeFields.map((name) =>
  ruling(
    44,
    "4.2",
    `${name} given twice is 400 invalid_request`,
    Effect.gen(function* () {
      const given = yield* fields({})
      const twice = given.find(([field]) => field === name) ?? [name, "x"]
      yield* Api.expecting(Api.form(path, [...given, twice]), refusal(400, "invalid_request"))
    })
  )
)

const grantTypeFirst = ruling(
  44,
  "4.2",
  "grant_type is judged before the credentials",
  asking({ grant_type: "password", client_secret: "wrong-0123456789abcdef" }, refusal(400, "unsupported_grant_type"))
)

const credentialsFirst = ruling(
  44,
  "4.2",
  "the credentials are judged before the other fields",
  asking({ code: undefined, client_secret: "wrong-0123456789abcdef" }, refusal(401, "invalid_client"))
)

const noSecret = ruling(
  44,
  "4.2",
  "no client_secret is 401 invalid_client",
  asking({ client_secret: undefined }, refusal(401, "invalid_client"))
)

const unknownField = ruling(
  22,
  "4.2",
  "a field that is not known is ignored",
  asking({ colour: "red" }, refusal(400, "invalid_grant"))
)

const notCached = ruling(
  46,
  "4.2",
  "a refusal is not stored by caches either",
  asking({}, header("cache-control", /\bno-store\b/i))
)

const jsonRefusal = required("7.1", "a refusal is JSON", asking({}, jsonObject), { decisions: [4] })

const refusalBody = ruling(
  4,
  "7.1",
  "a refusal has error and error_description as OAuth has them",
  asking({}, field("error", Shape.is("invalid_grant")), field("error_description", Shape.filled))
)

const noChallenge = ruling(
  10,
  "7.1",
  "invalid_client is 401, and no challenge comes without HTTP Basic",
  asking({ client_secret: "wrong-0123456789abcdef" }, status(401), noHeader("www-authenticate"))
)

const noTokenOnRefusal = ruling(36, "4.2", "no token comes with a refusal", asking({}, noField("access_token")))

/** The token endpoint (4.2): what it refuses. None of these uses anything up. */
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

type Changes = Readonly<Record<string, string | undefined>>

/** The fields of a code exchange with an unknown code, changed; undefined leaves a field out. */
export function fields(changes: Changes) {
  return Effect.gen(function* () {
    const all: Changes = {
      grant_type: "authorization_code",
      code: "unknown-code-0123456789abcdef",
      client_id: yield* Api.given("clientId"),
      client_secret: yield* Api.given("clientSecret"),
      redirect_uri: "http://127.0.0.1:9/callback",
      ...changes
    }
    return Object.entries(all).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, value]]
    )
  })
}

function asking(changes: Changes, ...wanted: Rules) {
  return Effect.flatMap(fields(changes), (given) => Api.expecting(Api.form(path, given), ...wanted))
}

type Rules = Parameters<typeof Api.expecting> extends [unknown, ...infer Rest] ? Rest : never

function refreshing(changes: Changes, ...wanted: Rules) {
  return asking(
    {
      grant_type: "refresh_token",
      code: undefined,
      redirect_uri: undefined,
      refresh_token: "unknown-token-0123456789abcdef",
      ...changes
    },
    ...wanted
  )
}

function basic(secret: string, changes: Changes) {
  return Effect.gen(function* () {
    const id = yield* Api.given("clientId")
    const credentials = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")
    return yield* Api.send(
      Api.form(path, yield* fields(changes), { headers: { authorization: `Basic ${credentials}` } })
    )
  })
}
