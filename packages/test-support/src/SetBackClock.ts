import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Runs an effect under a clock of which it can set the time of day back; monotonic time and sleeps go on. */
export const within = <A, E, R>(use: (setBack: (millis: number) => void) => Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    let backMs = 0
    // A `TestClock` stays one.
    const setBackClock: Clock.Clock = Object.assign(Object.create(clock), {
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - backMs,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - backMs),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeNanos: clock.currentTimeNanos
    })
    return Effect.withClock(
      use((millis) => void (backMs += millis)),
      setBackClock
    )
  })
