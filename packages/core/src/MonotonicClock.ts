import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * Milliseconds that only grow, whatever happens to the time of day; for waits, silences and deadlines of one process.
 * They begin at the time of day at which this process started.
 */
export const now: Effect.Effect<number> = /* @__PURE__ */ Effect.map(Effect.clock, (clock) => read(clock))

/** {@link now} of a clock, where no effect runs. */
export const read = (clock: Clock.Clock): number =>
  // `currentTimeNanos` of a `TestClock` fails between two nanoseconds, where a wait with jitter may end.
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
