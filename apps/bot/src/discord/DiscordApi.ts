import { RESTEvents } from "discord.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bucketOf } from "./Bucket.ts"
import { DiscordClient } from "./DiscordClient.ts"
import * as GuildCalls from "./GuildCalls.ts"
import * as Interactions from "./Interactions.ts"
import * as MessageCalls from "./MessageCalls.ts"
import { type Calls, rateLimited, withSlot } from "./RateLimitedCalls.ts"
import type { BucketState, SlotRequest } from "./RateBudget.ts"
import { RateLimiter } from "./RateLimiter.ts"
import * as ThreadCalls from "./ThreadCalls.ts"

/**
 * The bot's Discord REST calls. Every call waits for a slot of the {@link RateLimiter}, and waits again after a 429.
 * Responses to interactions have limits of their own and are sent at once.
 */
export class DiscordApi extends Context.Tag("@heddle/bot/DiscordApi")<
  DiscordApi,
  Interactions.Interactions &
    MessageCalls.MessageCalls &
    ThreadCalls.ThreadCalls &
    GuildCalls.GuildCalls & {
      /**
       * Waits for a slot and makes one call, chosen when the slot comes. Fails with status 429 when Discord rate limits
       * the call; the next slot then waits for Discord's delay.
       */
      readonly withSlot: <A, E, R>(
        request: SlotRequest,
        use: (calls: Calls, markUnused: () => void) => Effect.Effect<A, E, R>
      ) => Effect.Effect<A, E, R>
    }
>() {}

export const layer: Layer.Layer<DiscordApi, never, DiscordClient | RateLimiter> = Layer.scoped(
  DiscordApi,
  Effect.gen(function* () {
    const { applicationId, requestMember, message, rest } = yield* DiscordClient
    const limiter = yield* RateLimiter
    const listener: Listener = ({ method, path }, { headers }) => {
      const state = bucketState(headers)
      if (state !== undefined) limiter.learn(bucketOf(method, path), state)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => rest.on(RESTEvents.Response, listener)),
      () => Effect.sync(() => rest.off(RESTEvents.Response, listener))
    )
    const call = rateLimited(rest, limiter)
    return DiscordApi.of({
      ...(yield* Interactions.make(applicationId, rest)),
      ...MessageCalls.make(call, message),
      ...(yield* ThreadCalls.make(call)),
      ...GuildCalls.make(call, applicationId, requestMember),
      withSlot: withSlot(rest, limiter)
    })
  })
)

type Listener = (
  request: { readonly method: string; readonly path: string },
  response: { readonly headers: Headers }
) => void

/** The bucket's state from response headers; undefined without them. */
const bucketState = (headers: Headers): BucketState | undefined => {
  const hash = headers.get("x-ratelimit-bucket")
  const remaining = Number(headers.get("x-ratelimit-remaining") ?? Number.NaN)
  const resetAfterMs = Number(headers.get("x-ratelimit-reset-after") ?? Number.NaN) * 1000
  return hash === null || Number.isNaN(remaining) || Number.isNaN(resetAfterMs)
    ? undefined
    : { hash, remaining, resetAfterMs }
}
