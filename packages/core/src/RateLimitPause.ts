import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as MonotonicClock from "./MonotonicClock.ts"
import { RateLimited } from "./OpenApiError.ts"

/** The pause after 429, shared by all calls of one client. */
export interface RateLimitPause {
  /** Whether a request may be sent at this instant of the {@link MonotonicClock}. */
  readonly isOver: (now: number) => boolean
  /**
   * Waits until the pause is over, and up to a quarter longer, so that callers do not all send at once.
   * Returns the milliseconds waited. Fails without waiting if the wait would end after `endsAt`,
   * in milliseconds of the {@link MonotonicClock}.
   */
  readonly awaitEnd: (endsAt: number) => Effect.Effect<number, RateLimited>
  /** Begins a pause, or extends the current one, to end after `millis`. */
  readonly extend: (millis: number) => Effect.Effect<void>
}

/** Makes a pause that is over. */
export const make = (): RateLimitPause => {
  let pause = { until: Number.NEGATIVE_INFINITY, length: 0 }

  const awaitEnd: RateLimitPause["awaitEnd"] = Effect.fnUntraced(function* (endsAt) {
    const startedAt = yield* MonotonicClock.now
    for (let now = startedAt; ; now = yield* MonotonicClock.now) {
      if (now >= pause.until) return now - startedAt
      const remaining = pause.until - now
      const wait = remaining + Math.round(pause.length * spreadRatio * (yield* Random.next))
      if (now + wait > endsAt) return yield* deadlineTooClose(remaining)
      yield* Effect.sleep(wait)
    }
  })

  return {
    isOver: (now) => now >= pause.until,
    awaitEnd,
    extend: (millis) =>
      Effect.map(MonotonicClock.now, (now) => {
        if (now + millis > pause.until) pause = { until: now + millis, length: millis }
      })
  }
}

/** The fraction of a pause over which its callers are spread after its end. */
const spreadRatio = 0.25

const deadlineTooClose = (remaining: number) =>
  new RateLimited({
    code: "rate_limited",
    description: "The service is limiting requests and time is short, so nothing was sent",
    retryAfter: Math.ceil(remaining / 1000)
  })
