import type { Scope } from "@heddle/core/domain/Scope"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import { AuthorizationRequests } from "@heddle/oauth/AuthorizationRequests"
import type { CallbackRejected } from "@heddle/oauth/AuthorizationResponse"
import { Grants } from "@heddle/oauth/Grants"
import { TokenEndpoint } from "@heddle/oauth/TokenEndpoint"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Application } from "../Application.ts"
import { BotSettings } from "../BotSettings.ts"
import { Accounts } from "./Accounts.ts"

/** The authorization that the bot asks for. */
export const scopes: ReadonlyArray<Scope> = [
  "user.profile.readable",
  "user.credit.readable",
  "user.task.readable",
  "user.task.invokable"
]

/** Connecting people's accounts: the authorization code flow between a private link and the callback. */
export class Connect extends Context.Tag("@heddle/bot/Connect")<
  Connect,
  {
    /** Makes a link for this person alone; it is good for ten minutes and one use. */
    readonly begin: (userId: string) => Effect.Effect<{ readonly url: string }>
    /** Reads the answer of the service and keeps the grant; returns whose it is. */
    readonly finish: (params: URLSearchParams) => Effect.Effect<string, CallbackRejected | OpenApiError>
  }
>() {}

export const layer: Layer.Layer<
  Connect,
  never,
  Accounts | Application | AuthorizationRequests | BotSettings | Grants | TokenEndpoint
> = Layer.effect(
  Connect,
  Effect.gen(function* () {
    const { callbackUrl, clientId } = yield* Application
    const { baseUrl } = yield* BotSettings
    const accounts = yield* Accounts
    const grants = yield* Grants
    const requests = yield* AuthorizationRequests
    const tokens = yield* TokenEndpoint
    return Connect.of({
      begin: Effect.fn("Connect.begin")(function* (userId) {
        return yield* requests.begin({ baseUrl, clientId, redirectUri: callbackUrl, scopes, askedBy: userId })
        // The address was checked at the start, and the bot does nothing without its database.
      }, Effect.orDie),
      finish: Effect.fn("Connect.finish")(function* (params) {
        const { askedBy, code, request } = yield* requests
          // Nobody is signed in to Discord where the callback arrives.
          .finish(params, { askedBy: undefined })
          .pipe(Effect.catchTag("TokenStoreUnavailable", Effect.die))
        const granted = yield* tokens.exchange({ ...request, code, scopes: new Set(scopes) })
        yield* grants.save(askedBy, granted)
        yield* accounts.connected(askedBy)
        return askedBy
      })
    })
  })
)
