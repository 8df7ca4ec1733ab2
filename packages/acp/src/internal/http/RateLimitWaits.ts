import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JsonRpc from "../../JsonRpc.ts"
import type * as Retries from "../Retries.ts"

/**
 * The waits that servers asked for, each for the messages of one method to one server. They outlive the connection of the
 * refused message; a channel that moves to another server does not wait for the old one.
 */
export class RateLimitWaits {
  #ends: Map<string, number> | undefined

  /** Notes that a message was refused; `retryAfter` is in seconds. */
  begin(link: string, message: JsonRpc.Message, retryAfter: number | undefined): Effect.Effect<void> {
    const wait = Duration.max(RetryPolicy.waitAfter(1, {}), RetryPolicy.requestedWait({ retryAfter }))
    return Effect.map(MonotonicClock.now, (at) => {
      this.#ends ??= new Map()
      this.#ends.set(nameOf(link, message), at + Duration.toMillis(wait))
    })
  }

  /** Waits until the server takes such a message again; fails at once if that takes longer than the longest wait. */
  awaitEnd(link: string, message: JsonRpc.Message): Effect.Effect<void, Retries.RateLimited> {
    return Effect.flatMap(MonotonicClock.now, (at) => {
      const remaining = (this.#ends?.get(nameOf(link, message)) ?? at) - at
      if (Duration.lessThan(RetryPolicy.maxWait, Duration.millis(remaining)))
        return Effect.fail<Retries.RateLimited>({ _tag: "RateLimited", retryAfter: remaining / 1000 })
      return remaining > 0 ? Effect.sleep(remaining) : Effect.void
    })
  }
}

const nameOf = (link: string, message: JsonRpc.Message): string => {
  const server = URL.canParse(link) ? new URL(link).host : link
  return `${server} ${JsonRpc.isResponse(message) ? "response" : message.method}`
}
