import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/**
 * Milliseconds that only grow, whatever happens to the time of day; for waits, silences and deadlines of one process.
 * They begin at the time of day at which this process started.
 */
export const now: Effect.Effect<number> = /* @__PURE__ */ Effect.map(Effect.clock, (clock) => read(clock))

/** {@link now} of a clock, where no effect runs. */
export const read = (clock: Clock.Clock): number =>
  // `currentTimeNanos` of a `TestClock` fails between two nanoseconds, where a wait with jitter may end.
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/** {@link now} of the clock of a fiber. */
export const ofFiber = (fiber: Fiber.RuntimeFiber<unknown, unknown>): number =>
  read(Context.get(fiber.currentDefaultServices, Clock.Clock))
