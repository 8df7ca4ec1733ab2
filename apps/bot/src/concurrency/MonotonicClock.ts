import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds that only grow, whatever happens to the time of day; for ages and pauses within this process. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))
