import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { RateLimited } from "../OpenApiError.ts"

/** The pause that all calls of one client share after 429. */
export interface RateLimitPause {
  /**
   * Waits until the pause is over, and up to a quarter longer, so that the callers do not all send at one instant.
   * Returns the milliseconds waited. Fails without waiting where the wait would end after `endsAt`.
   */
  readonly awaitEnd: (endsAt: number) => Effect.Effect<number, RateLimited>
  /** Begins a pause of so many milliseconds, or lengthens the current one. */
  readonly extend: (millis: number) => Effect.Effect<void>
}

export const make = (): RateLimitPause => {
  let pause = { until: Number.NEGATIVE_INFINITY, length: 0 }

  const awaitEnd: RateLimitPause["awaitEnd"] = Effect.fnUntraced(function* (endsAt) {
    const began = yield* Clock.currentTimeMillis
    for (let now = began; ; now = yield* Clock.currentTimeMillis) {
      if (now >= pause.until) return now - began
      const left = pause.until - now
      const wait = left + pause.length * spread * (yield* Random.next)
      if (now + wait > endsAt) return yield* tooLong(left)
      yield* Effect.sleep(wait)
    }
  })

  return {
    awaitEnd,
    extend: (millis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now + millis > pause.until) pause = { until: now + millis, length: millis }
      })
  }
}

/** The part of a pause over which its callers are spread after its end. */
const spread = 0.25

const tooLong = (left: number) =>
  new RateLimited({
    code: "rate_limited",
    description: "The service is limiting requests and time is short, so nothing was sent",
    retryAfter: Math.ceil(left / 1000)
  })
