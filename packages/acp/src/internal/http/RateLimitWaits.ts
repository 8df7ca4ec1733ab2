import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JsonRpc from "../../JsonRpc.ts"
import type * as Retries from "../Retries.ts"

/**
 * The waits that a server asked for, each for the messages of one method. They outlive the connection of the refused
 * message.
 */
export class RateLimitWaits {
  #ends: Map<string, number> | undefined

  /** Notes that a message was refused; `retryAfter` is in seconds. */
  begin(message: JsonRpc.Message, retryAfter: number | undefined): Effect.Effect<void> {
    const wait = Duration.max(RetryPolicy.waitAfter(1, {}), RetryPolicy.requestedWait({ retryAfter }))
    return Effect.map(MonotonicClock.now, (at) => {
      this.#ends ??= new Map()
      this.#ends.set(nameOf(message), at + Duration.toMillis(wait))
    })
  }

  /** Waits until the server takes such a message again; fails at once if that takes longer than the longest wait. */
  awaitEnd(message: JsonRpc.Message): Effect.Effect<void, Retries.RateLimited> {
    return Effect.flatMap(MonotonicClock.now, (at) => {
      const remaining = (this.#ends?.get(nameOf(message)) ?? at) - at
      if (Duration.lessThan(RetryPolicy.maxWait, Duration.millis(remaining)))
        return Effect.fail<Retries.RateLimited>({ _tag: "RateLimited", retryAfter: remaining / 1000 })
      return remaining > 0 ? Effect.sleep(remaining) : Effect.void
    })
  }
}

const nameOf = (message: JsonRpc.Message): string => (JsonRpc.isResponse(message) ? "response" : message.method)
