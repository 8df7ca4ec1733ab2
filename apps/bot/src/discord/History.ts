import * as Effect from "effect/Effect"
import { DiscordApi } from "./DiscordApi.ts"
import type { DiscordError } from "./DiscordError.ts"
import type { IncomingMessage } from "./DiscordEvent.ts"
import { messagesPerPage } from "./MessageCalls.ts"
import { retryWhileUnavailable } from "./RetryPolicy.ts"
import type { Priority } from "./RateBudget.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"

/** Wraps each try of a call, for callers that limit their parallel reads. */
export type Gate = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The priority of the reads. */
export interface ReadOptions {
  readonly gate?: Gate
  /** `first` by default, for reads that a person waits for. */
  readonly priority?: Priority
}

/**
 * Reads all messages of a channel after a given one, oldest first, and passes each page to `use` before it reads on.
 * Retries while Discord is unavailable, watched by the health check. Fails with Discord's final refusals, such as a
 * deleted channel.
 */
export const read = Effect.fn("History.read")(function* <E, R>(
  channelId: string,
  after: string,
  use: (messages: ReadonlyArray<IncomingMessage>) => Effect.Effect<void, E, R>,
  { gate = (call) => call, priority }: ReadOptions = {}
): Effect.fn.Return<void, DiscordError | E, DiscordApi | Watchdog | R> {
  const api = yield* DiscordApi
  const { during } = yield* Watchdog
  let lastReadId = after
  for (;;) {
    const page = Effect.tap(retryWhileUnavailable(gate(api.messagesAfter(channelId, lastReadId, priority))), use)
    const messages = yield* during(`Reading what was written in channel ${channelId}`, page)
    const last = messages.at(-1)
    if (last === undefined || messages.length < messagesPerPage) return
    lastReadId = last.id
  }
})
