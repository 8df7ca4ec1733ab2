import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { type OpenApiError, Reauthorize } from "./OpenApiError.ts"

/**
 * The access token of one grant, which calls are made with.
 * `@heddle/oauth` implements it with refresh; scripts may hand in a fixed one.
 */
export class AccessToken extends Context.Tag("@heddle/core/AccessToken")<
  AccessToken,
  {
    /** The token to use now; renewed in advance where the implementation knows its age. */
    readonly current: Effect.Effect<Redacted.Redacted, OpenApiError>
    /**
     * Gets a newer token than `failed`, which a service has just refused; concurrent callers share one refresh. Gives
     * `failed` itself where another token would be refused, too: then the call fails with the error of the service.
     */
    readonly renew: (failed: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, OpenApiError>
    /**
     * Learns that a service refused a token right after its renewal: for a while, another one would be refused, too.
     * Optional.
     */
    readonly refusedAgain?: (token: Redacted.Redacted) => Effect.Effect<void>
  }
>() {}

/** One fixed token, for scripts: once the service refuses it, calls fail with `Reauthorize`. */
export const layer = (token: Redacted.Redacted): Layer.Layer<AccessToken> => Layer.succeed(AccessToken, fixed(token))

/** The service of {@link layer}. */
export const fixed = (token: Redacted.Redacted): Context.Tag.Service<AccessToken> => ({
  current: Effect.succeed(token),
  renew: () => Effect.fail(new Reauthorize({ reason: "the service refused the access token" }))
})
