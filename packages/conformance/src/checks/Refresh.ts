import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, jsonObject, noField, notStored, refusal, status, type Expectation } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

const sortedAndUnique = Matcher.matcher("sorted and unique", (scope) => {
  const scopes = String(scope).split(" ")
  return scopes.join(" ") === [...new Set(scopes)].sort().join(" ")
})

const needsRefresh = { needs: ["refreshToken"] } as const

const success = required(
  "4.2",
  "a refresh returns 200 with a token response",
  refreshed(
    status(200),
    jsonObject,
    field("access_token", Matcher.filled),
    field("token_type", Matcher.matching(/^bearer$/i))
  ),
  { ...needsRefresh, decisions: [34] }
)

const expiresIn = required(
  "2.1",
  "expires_in is a number of seconds",
  refreshed(field("expires_in", Matcher.positive)),
  {
    ...needsRefresh,
    decisions: [5, 34]
  }
)

const scopeFormat = required(
  "2.1",
  "scope separates scopes by single spaces",
  refreshed(field("scope", Matcher.optional(Matcher.matching(/^[^\s]+( [^\s]+)*$/)))),
  { ...needsRefresh, decisions: [33] }
)

const openId = required("2.1", "open_id is a string", refreshed(field("open_id", Matcher.filled)), needsRefresh)

const tokenType = required(
  "2.1",
  "token_type is Bearer",
  refreshed(field("token_type", Matcher.is("Bearer"))),
  needsRefresh
)

const newTokenWorks = required(
  "5.4",
  "the refreshed access token is accepted",
  Effect.gen(function* () {
    const response = yield* refresh()
    const token = String(at(response.json, "access_token"))
    const profile = yield* Api.send(Api.get("/user/profile", { token: { token } }))
    yield* Api.verify(profile, status(200, 403))
  }),
  needsRefresh
)

const stableOpenId = decided(
  35,
  "2.1",
  "open_id stays the same",
  Effect.gen(function* () {
    const first = yield* refresh()
    const second = yield* refresh()
    yield* Api.verify(second, field("open_id", Matcher.is(at(first.json, "open_id"))))
  }),
  needsRefresh
)

const oldTokenWorks = decided(
  30,
  "4.2",
  "the previous access token stays valid",
  Effect.gen(function* () {
    yield* refresh()
    yield* Api.expecting(Api.get("/user/profile"), status(200))
  }),
  needsRefresh
)

const noRefreshToken = decided(
  28,
  "2.1",
  "a refresh returns no refresh token",
  refreshed(status(200), noField("refresh_token")),
  needsRefresh
)

const accessTokenLifetime = decided(
  5,
  "2.1",
  "a refreshed access token is valid for 3600 seconds",
  refreshed(field("expires_in", Matcher.is(3600))),
  needsRefresh
)

const sortedScopes = decided(
  33,
  "2.1",
  "scopes are sorted and unique",
  refreshed(field("scope", sortedAndUnique)),
  needsRefresh
)

const narrowerScope = decided(
  32,
  "4.2",
  "a refresh may narrow the scope",
  Effect.gen(function* () {
    const response = yield* refresh({ scope: "user.profile.readable" })
    yield* Api.verify(response, status(200), field("scope", Matcher.is("user.profile.readable")))
    const token = { token: String(at(response.json, "access_token")) }
    yield* Api.expecting(Api.get("/credit", { token }), refusal(403, "insufficient_scope"))
  }),
  needsRefresh
)

const widerScope = decided(
  32,
  "4.2",
  "a refresh cannot widen the scope: 400 invalid_scope",
  Effect.flatMap(refresh({ scope: "user.everything.writable" }), (response) =>
    Api.verify(response, refusal(400, "invalid_scope"))
  ),
  needsRefresh
)

const notCached = decided(46, "4.2", "a token response is not cached", refreshed(status(200), notStored), needsRefresh)

const otherApplication = required(
  "4.2",
  "a refresh token of another application is 400 invalid_grant",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(yield* credentials("otherClient")), refusal(400, "invalid_grant"))
    yield* Api.verify(yield* refresh(), status(200))
  }),
  { needs: ["refreshToken", "otherClient"] }
)

/** Refreshing an access token (contract 2.1, 4.2, 5.4). */
export const checks: ReadonlyArray<Check> = [
  success,
  expiresIn,
  scopeFormat,
  openId,
  tokenType,
  newTokenWorks,
  stableOpenId,
  oldTokenWorks,
  noRefreshToken,
  accessTokenLifetime,
  sortedScopes,
  narrowerScope,
  widerScope,
  notCached,
  otherApplication
]

/** Refreshes and checks the response. */
function refreshed(...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(refresh(), (response) => Api.verify(response, ...wanted))
}
