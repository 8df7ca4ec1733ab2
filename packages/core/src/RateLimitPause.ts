import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { RateLimited } from "./OpenApiError.ts"

/** The pause after 429, shared by all calls of one client. */
export interface RateLimitPause {
  /**
   * Waits until the pause is over, and up to a quarter longer, so that callers do not all send at once.
   * Returns the milliseconds waited. Fails without waiting if the wait would end after `endsAt`.
   */
  readonly awaitEnd: (endsAt: number) => Effect.Effect<number, RateLimited>
  /** Begins a pause, or extends the current one, to end after `millis`. */
  readonly extend: (millis: number) => Effect.Effect<void>
}

/** Makes a pause that is over. */
export const make = (): RateLimitPause => {
  let pause = { from: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY, length: 0 }

  const awaitEnd: RateLimitPause["awaitEnd"] = Effect.fnUntraced(function* (endsAt) {
    const startedAt = yield* Clock.currentTimeMillis
    for (let now = startedAt; ; now = yield* Clock.currentTimeMillis) {
      // A pause that begins later than now is over, too: the time of day was set back.
      if (now >= pause.until || now < pause.from) return Math.max(0, now - startedAt)
      const remaining = pause.until - now
      const wait = remaining + pause.length * spreadRatio * (yield* Random.next)
      if (now + wait > endsAt) return yield* deadlineTooClose(remaining)
      yield* Effect.sleep(wait)
    }
  })

  return {
    awaitEnd,
    extend: (millis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now + millis > pause.until || now < pause.from) pause = { from: now, until: now + millis, length: millis }
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
