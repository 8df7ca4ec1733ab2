import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import { CheckContext } from "./CheckContext.ts"
import type { Expectation } from "./Expectation.ts"
import type { Response } from "./HttpMessage.ts"
import type { Prerequisite } from "./Settings.ts"
import { at } from "./internal/Json.ts"

/** Fields of a token request; undefined leaves a field out. */
export type TokenFields = Readonly<Record<string, string | undefined>>

/** The fields of a code exchange with an unknown code, with changes. */
export const unknownCodeFields = (changes: TokenFields) =>
  Effect.gen(function* () {
    const all: TokenFields = {
      grant_type: "authorization_code",
      code: "unknown-code-0123456789abcdef",
      client_id: yield* Api.setting("clientId"),
      client_secret: yield* Api.setting("clientSecret"),
      redirect_uri: "http://127.0.0.1:9/callback",
      ...changes
    }
    return Object.entries(all).flatMap(([name, value]): Array<[string, string]> =>
      value === undefined ? [] : [[name, value]]
    )
  })

/** Changes the fields of a code exchange to those of a refresh. */
export const refreshFields = (refresh_token: string): TokenFields => ({
  grant_type: "refresh_token",
  code: undefined,
  redirect_uri: undefined,
  refresh_token
})

/** Sends a code exchange for the configured redirect URI. */
export const exchange = (changes: TokenFields, ...expectations: ReadonlyArray<Expectation>) =>
  Effect.gen(function* () {
    const redirect_uri = yield* Api.setting("redirectUri")
    return yield* Api.send(
      Api.postForm("/token", yield* unknownCodeFields({ redirect_uri, ...changes })),
      ...expectations
    )
  })

/** Refreshes with the newest refresh token, and stores the tokens, because a refresh may end those before it. */
export const refresh = (changes: TokenFields = {}, ...expectations: ReadonlyArray<Expectation>) =>
  Effect.gen(function* () {
    const context = yield* CheckContext
    const currentFields = refreshFields(yield* context.refreshToken)
    const response = yield* Api.send(Api.postForm("/token", yield* unknownCodeFields({ ...currentFields, ...changes })))
    const newer = at(response.json, "refresh_token")
    if (typeof newer === "string" && newer !== "" && changes["refresh_token"] === undefined)
      yield* context.storeRefreshToken(newer)
    const accessToken = at(response.json, "access_token")
    if (response.status === 200 && typeof accessToken === "string" && changes["scope"] === undefined)
      yield* context.storeAccessToken(accessToken)
    yield* Api.verify(response, ...expectations)
    return response
  })

/** The token option of a request with the issued access token. */
export const issuedToken = (response: Response) => ({ token: { token: String(at(response.json, "access_token")) } })

/** The credentials of another client, from a setting of the form `ID:SECRET`. */
export const credentials = (name: Prerequisite) =>
  Effect.map(Api.setting(name), (value) => {
    const [client_id = "", client_secret = ""] = value.split(/:(.*)/s)
    return { client_id, client_secret }
  })
