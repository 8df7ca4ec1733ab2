import { now } from "@heddle/core/MonotonicClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The clock for ages, pauses and deadlines; a later process can still tell what an earlier one stored. */
export { now, read } from "@heddle/core/MonotonicClock"

/** Translates a time of day of now or later, in epoch milliseconds, into the time of this clock. */
export const fromTimeOfDay = (at: number): Effect.Effect<number> =>
  Effect.zipWith(now, Clock.currentTimeMillis, (monotonic, timeOfDay) => at + monotonic - timeOfDay)

/** Makes the function that tells people a time of this clock, as a time of day in epoch milliseconds. */
export const toTimeOfDay: Effect.Effect<(at: number) => number> = Effect.zipWith(
  now,
  Clock.currentTimeMillis,
  (monotonic, timeOfDay) => {
    // Below ten seconds the clocks just run a little apart; a card does not change for that.
    const difference = Math.round((timeOfDay - monotonic) / 10_000) * 10_000
    return (at) => at + difference
  }
)
