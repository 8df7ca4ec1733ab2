import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JsonRpc from "../../JsonRpc.ts"

/** The waits that a server asked for with 429; they outlive the connection of the refused message. */
export interface RateLimitWaits {
  /** Notes that a message was refused; `retryAfter` is in seconds. */
  readonly begin: (message: JsonRpc.Message, retryAfter: number | undefined) => Effect.Effect<void>
  /** Waits until the server takes such a message again. */
  readonly awaitEnd: (message: JsonRpc.Message) => Effect.Effect<void>
}

/** Makes the waits of one channel, each for the messages of one method. */
export const make = (): RateLimitWaits => {
  const ends = new Map<string, number>()
  return {
    begin: (message, retryAfter) => {
      const wait = RetryPolicy.waitAfter(1, { retryAfter })
      // A message with a longer wait fails at once, and the next one finds out anew.
      if (Duration.greaterThan(wait, RetryPolicy.maxWait)) return Effect.void
      return Effect.map(MonotonicClock.now, (at) => void ends.set(nameOf(message), at + Duration.toMillis(wait)))
    },
    awaitEnd: (message) =>
      Effect.flatMap(MonotonicClock.now, (at) => {
        const remaining = (ends.get(nameOf(message)) ?? at) - at
        return remaining > 0 ? Effect.sleep(remaining) : Effect.void
      })
  }
}

const nameOf = (message: JsonRpc.Message): string => (JsonRpc.isResponse(message) ? "response" : message.method)
