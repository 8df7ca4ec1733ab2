import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JsonRpc from "../../JsonRpc.ts"

/**
 * The waits that a server asked for with 429, each for the messages of one method. They outlive the connection of the
 * refused message.
 */
export class RateLimitWaits {
  #ends: Map<string, number> | undefined

  /** Notes that a message was refused; `retryAfter` is in seconds. */
  begin(message: JsonRpc.Message, retryAfter: number | undefined): Effect.Effect<void> {
    const wait = RetryPolicy.waitAfter(1, { retryAfter })
    // A message with a longer wait fails at once, and the next one finds out anew.
    if (Duration.greaterThan(wait, RetryPolicy.maxWait)) return Effect.void
    return Effect.map(MonotonicClock.now, (at) => {
      this.#ends ??= new Map()
      this.#ends.set(nameOf(message), at + Duration.toMillis(wait))
    })
  }

  /** Waits until the server takes such a message again. */
  awaitEnd(message: JsonRpc.Message): Effect.Effect<void> {
    return Effect.flatMap(MonotonicClock.now, (at) => {
      const remaining = (this.#ends?.get(nameOf(message)) ?? at) - at
      return remaining > 0 ? Effect.sleep(remaining) : Effect.void
    })
  }
}

const nameOf = (message: JsonRpc.Message): string => (JsonRpc.isResponse(message) ? "response" : message.method)
