import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { RateLimited } from "../OpenApiError.ts"

/** The pause that all calls of one client share after 429. */
export interface Gate {
  /**
   * Waits while the pause lasts, and a little longer, so that those who waited do not all send at one instant.
   * Tells how many milliseconds that took. Fails without waiting where it would take beyond `endsAt`.
   */
  readonly pass: (endsAt: number) => Effect.Effect<number, RateLimited>
  /** Begins a pause of so many milliseconds, or lengthens the one that lasts. */
  readonly pause: (millis: number) => Effect.Effect<void>
}

export const make = (): Gate => {
  let until = Number.NEGATIVE_INFINITY
  let length = 0

  const pass: Gate["pass"] = Effect.fnUntraced(function* (endsAt) {
    const began = yield* Clock.currentTimeMillis
    for (let now = began; ; now = yield* Clock.currentTimeMillis) {
      if (now >= until) return now - began
      const left = until - now
      const wait = left + length * spread * (yield* Random.next)
      if (now + wait > endsAt) return yield* closed(left)
      yield* Effect.sleep(wait)
    }
  })

  return {
    pass,
    pause: (millis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now + millis <= until) return
        until = now + millis
        length = millis
      })
  }
}

/** How much of a pause its waiters are spread over after its end. */
const spread = 0.25

const closed = (left: number) =>
  new RateLimited({
    code: "rate_limited",
    description: "The service is limiting requests and time is short, so nothing was sent",
    retryAfter: Math.ceil(left / 1000)
  })
