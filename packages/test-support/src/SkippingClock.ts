import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A clock that stands still at 0. */
export const still: Clock.Clock = Object.assign(Object.create(Clock.make()), {
  unsafeCurrentTimeMillis: () => 0,
  unsafeCurrentTimeNanos: () => 0n,
  sleep: () => Effect.never
})

/** The real clock or another one, of which `skip` passes some time at once: sleeps that are over by then end now. */
export const make = (real: Clock.Clock = Clock.make()) => {
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  let skippedMs = 0
  const now = () => real.unsafeCurrentTimeMillis() + skippedMs
  const nanos = () => real.unsafeCurrentTimeNanos() + BigInt(skippedMs) * 1_000_000n
  /** Ends when `skip` passes its end. */
  const skippableSleep = (duration: Duration.Duration) =>
    Effect.async<void>((resume) => {
      const sleeper = { until: now() + Duration.toMillis(duration), wake: () => resume(Effect.void) }
      sleepers.add(sleeper)
      return Effect.sync(() => void sleepers.delete(sleeper))
    })
  const clock: Clock.Clock = Object.assign(Object.create(real), {
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration: Duration.Duration) => Effect.raceFirst(real.sleep(duration), skippableSleep(duration))
  })
  return {
    clock,
    skip: (ms: number) => {
      skippedMs += ms
      for (const sleeper of sleepers) {
        if (sleeper.until > now()) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
    }
  }
}
