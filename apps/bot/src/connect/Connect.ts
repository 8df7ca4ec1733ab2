import type { Scope } from "@heddle/core/domain/Scope"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as AuthorizationRequest from "@heddle/oauth/AuthorizationRequest"
import * as AuthorizationResponse from "@heddle/oauth/AuthorizationResponse"
import { Grants } from "@heddle/oauth/Grants"
import { TokenEndpoint } from "@heddle/oauth/TokenEndpoint"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Application } from "../Application.ts"
import { BotSettings } from "../BotSettings.ts"
import { Accounts } from "./Accounts.ts"
import { Links } from "./Links.ts"

/** The authorization that the bot asks for. */
export const scopes: ReadonlyArray<Scope> = [
  "user.profile.readable",
  "user.credit.readable",
  "user.task.readable",
  "user.task.invokable"
]

/** The link in the callback is unknown, used, or sealed with another key. Nothing was connected; the person asks for a new link. */
export interface LinkUsed {
  readonly _tag: "LinkUsed"
}

/** Connecting people's accounts: the authorization code flow between a private link and the callback. */
export class Connect extends Context.Tag("@heddle/bot/Connect")<
  Connect,
  {
    /** Makes a link for this person alone; it is good for ten minutes and one use. */
    readonly begin: (userId: string) => Effect.Effect<{ readonly url: string }>
    /** Reads the answer of the service and keeps the grant; returns whose it is. */
    readonly finish: (
      params: URLSearchParams
    ) => Effect.Effect<string, LinkUsed | AuthorizationResponse.CallbackRejected | OpenApiError>
  }
>() {}

export const layer: Layer.Layer<
  Connect,
  never,
  Accounts | Application | BotSettings | Grants | Links | TokenEndpoint
> = Layer.effect(
  Connect,
  Effect.gen(function* () {
    const { callbackUrl, clientId } = yield* Application
    const { baseUrl } = yield* BotSettings
    const accounts = yield* Accounts
    const grants = yield* Grants
    const links = yield* Links
    const tokens = yield* TokenEndpoint
    return Connect.of({
      begin: Effect.fn("Connect.begin")(function* (userId) {
        const pending = yield* AuthorizationRequest.make({
          baseUrl,
          clientId,
          redirectUri: callbackUrl,
          scopes
        }).pipe(
          // The address was checked at the start.
          Effect.orDie
        )
        yield* links.add(userId, pending)
        return { url: pending.url }
      }),
      finish: Effect.fn("Connect.finish")(function* (params) {
        const state = AuthorizationResponse.stateOf(params)
        const link = Option.isNone(state)
          ? Option.none()
          : yield* links.take(state.value, yield* Clock.currentTimeMillis)
        if (Option.isNone(link)) return yield* Effect.fail<LinkUsed>({ _tag: "LinkUsed" })
        const { pending, userId } = link.value
        const { code } = yield* AuthorizationResponse.read(params, pending)
        const granted = yield* tokens.exchange({
          code,
          redirectUri: pending.redirectUri,
          codeVerifier: pending.codeVerifier,
          scopes: new Set(scopes)
        })
        yield* grants.save(userId, granted)
        yield* accounts.connected(userId)
        return userId
      })
    })
  })
)
