import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import { CheckContext } from "./CheckContext.ts"
import type { Expectation } from "./Expectation.ts"
import type { Response } from "./HttpMessage.ts"
import type { Prerequisite } from "./Settings.ts"
import { at } from "./internal/Json.ts"

/** Fields of a token request; undefined leaves a field out. */
export type TokenFields = Readonly<Record<string, string | undefined>>

/** The fields of a code exchange with an unknown code, changed. */
export const fields = (changes: TokenFields) =>
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
export const exchange = (changes: TokenFields, ...wanted: ReadonlyArray<Expectation>) =>
  Effect.gen(function* () {
    const redirect_uri = yield* Api.setting("redirectUri")
    return yield* Api.send(Api.form("/token", yield* fields({ redirect_uri, ...changes })), ...wanted)
  })

/** Refreshes with the newest refresh token, and keeps a newer one. */
export const refresh = (changes: TokenFields = {}, ...wanted: ReadonlyArray<Expectation>) =>
  Effect.gen(function* () {
    const context = yield* CheckContext
    const known = refreshFields(yield* context.refreshToken)
    const response = yield* Api.send(Api.form("/token", yield* fields({ ...known, ...changes })))
    const newer = at(response.json, "refresh_token")
    if (typeof newer === "string" && newer !== "" && changes["refresh_token"] === undefined)
      yield* context.renewed(newer)
    yield* Api.verify(response, ...wanted)
    return response
  })

/** The issued access token, for a request. */
export const issued = (response: Response) => ({ token: { token: String(at(response.json, "access_token")) } })

/** The credentials of another client, from a setting of the form `ID:SECRET`. */
export const credentials = (name: Prerequisite) =>
  Effect.map(Api.setting(name), (value) => {
    const [client_id = "", client_secret = ""] = value.split(/:(.*)/s)
    return { client_id, client_secret }
  })
