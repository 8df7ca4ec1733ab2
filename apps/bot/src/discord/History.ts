import * as Effect from "effect/Effect"
import { DiscordApi } from "./DiscordApi.ts"
import type { DiscordError } from "./DiscordError.ts"
import type { IncomingMessage } from "./DiscordEvent.ts"
import { retryWhileUnavailable } from "./RetryPolicy.ts"
import type { Priority } from "./RateBudget.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"

/** Holds back each try of a call, for whoever makes many. */
export type Gate = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How urgent reading is. */
export interface How {
  readonly gate?: Gate
  /** `first` unless given: somebody waits for it. */
  readonly priority?: Priority
}

/**
 * Reads everything that was written in a channel after a message, oldest first, and gives it page by page to `use`,
 * before it reads on. Tried until it is known, which the health of the bot tells when it takes long; fails with what
 * Discord refuses for good, such as a channel that is gone.
 */
export const read = Effect.fn("History.read")(function* <E, R>(
  channelId: string,
  after: string,
  use: (messages: ReadonlyArray<IncomingMessage>) => Effect.Effect<void, E, R>,
  { gate = (call) => call, priority }: How = {}
): Effect.fn.Return<void, DiscordError | E, DiscordApi | Watchdog | R> {
  const api = yield* DiscordApi
  const { during } = yield* Watchdog
  let upTo = after
  for (;;) {
    const page = Effect.tap(retryWhileUnavailable(gate(api.messagesAfter(channelId, upTo, priority))), use)
    const messages = yield* during(`Reading what was written in channel ${channelId}`, page)
    const last = messages.at(-1)
    if (last === undefined || messages.length < pageSize) return
    upTo = last.id
  }
})

/** As many messages as Discord gives at a time. */
const pageSize = 100
