import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at, field, header, jsonObject, noField, refusal, status } from "../Expect.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"
import { fields } from "./Token.ts"

const needsRefresh = { needs: ["refreshToken"] } as const

const success = required(
  "4.2",
  "a refresh answers 200 with a token response",
  Effect.gen(function* () {
    yield* Api.verify(
      yield* refresh(),
      status(200),
      jsonObject,
      field("access_token", Shape.filled),
      field("token_type", Shape.matching(/^bearer$/i))
    )
  }),
  { ...needsRefresh, decisions: [34] }
)

const expiresIn = required(
  "2.1",
  "expires_in is a number of seconds",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), field("expires_in", Shape.positive))
  }),
  { ...needsRefresh, decisions: [5, 34] }
)

const scopeFormat = required(
  "2.1",
  "scope separates scopes by single spaces",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), field("scope", Shape.optional(Shape.matching(/^[^\s]+( [^\s]+)*$/))))
  }),
  { ...needsRefresh, decisions: [33] }
)

const openId = required(
  "2.1",
  "open_id is a string",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), field("open_id", Shape.filled))
  }),
  needsRefresh
)

const tokenType = required(
  "2.1",
  "token_type is Bearer",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), field("token_type", Shape.is("Bearer")))
  }),
  needsRefresh
)

const newTokenWorks = required(
  "5.4",
  "the refreshed access token opens the API",
  Effect.gen(function* () {
    const answer = yield* refresh()
    const token = String(at(answer.json, "access_token"))
    const asked = yield* Api.send(Api.get("/user/profile", { token: { token } }))
    yield* Api.verify(asked, status(200, 403))
  }),
  needsRefresh
)

const stableOpenId = ruling(
  35,
  "2.1",
  "open_id stays the same",
  Effect.gen(function* () {
    const first = yield* refresh()
    const second = yield* refresh()
    yield* Api.verify(second, field("open_id", Shape.is(at(first.json, "open_id"))))
  }),
  needsRefresh
)

const oldTokenWorks = ruling(
  30,
  "4.2",
  "the access token of before goes on",
  Effect.gen(function* () {
    yield* refresh()
    yield* Api.expecting(Api.get("/user/profile"), status(200))
  }),
  needsRefresh
)

const noRefreshToken = ruling(
  28,
  "2.1",
  "a refresh gives no refresh token",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), status(200), noField("refresh_token"))
  }),
  needsRefresh
)

const accessTokenLifetime = ruling(
  5,
  "2.1",
  "a refreshed access token lives for 3600 seconds",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), field("expires_in", Shape.is(3600)))
  }),
  needsRefresh
)

const sortedScopes = ruling(
  33,
  "2.1",
  "scopes are sorted and each is there once",
  Effect.gen(function* () {
    yield* Api.verify(
      yield* refresh(),
      field(
        "scope",
        Shape.shape("sorted and unique", (scope) => {
          const scopes = String(scope).split(" ")
          return scopes.join(" ") === [...new Set(scopes)].sort().join(" ")
        })
      )
    )
  }),
  needsRefresh
)

const narrowerScope = ruling(
  32,
  "4.2",
  "a refresh may narrow the scope",
  Effect.gen(function* () {
    const answer = yield* refresh({ scope: "user.profile.readable" })
    yield* Api.verify(answer, status(200), field("scope", Shape.is("user.profile.readable")))
    const token = { token: String(at(answer.json, "access_token")) }
    yield* Api.expecting(Api.get("/credit", { token }), refusal(403, "insufficient_scope"))
  }),
  needsRefresh
)

const widerScope = ruling(
  32,
  "4.2",
  "a refresh cannot widen the scope: 400 invalid_scope",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh({ scope: "user.everything.writable" }), refusal(400, "invalid_scope"))
  }),
  needsRefresh
)

const notCached = ruling(
  46,
  "4.2",
  "a token response is not stored by caches",
  Effect.gen(function* () {
    yield* Api.verify(yield* refresh(), status(200), header("cache-control", /\bno-store\b/i))
  }),
  needsRefresh
)

const otherApplication = required(
  "4.2",
  "a refresh token of another application is 400 invalid_grant",
  Effect.gen(function* () {
    const [client_id = "", client_secret = ""] = (yield* Api.given("otherClient")).split(/:(.*)/s)
    yield* Api.verify(yield* refresh({ client_id, client_secret }), refusal(400, "invalid_grant"))
    yield* Api.verify(yield* refresh(), status(200))
  }),
  { needs: ["refreshToken", "otherClient"] }
)

/** Refreshing an access token (2.1, 4.2, 5.4). */
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

/** Refreshes with the newest refresh token, and keeps a newer one. */
function refresh(changes: Readonly<Record<string, string>> = {}) {
  return Effect.gen(function* () {
    const wire = yield* Wire
    const refresh_token = yield* wire.refreshToken
    const answer = yield* Api.send(
      Api.form(
        "/token",
        yield* fields({
          grant_type: "refresh_token",
          code: undefined,
          redirect_uri: undefined,
          refresh_token,
          ...changes
        })
      )
    )
    const newer = at(answer.json, "refresh_token")
    if (typeof newer === "string" && newer !== "" && changes["refresh_token"] === undefined) yield* wire.renewed(newer)
    return answer
  })
}
