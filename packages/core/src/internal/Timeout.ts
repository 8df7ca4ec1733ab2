import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

/**
 * Runs an effect in a fiber of its own, with a context made from the caller's. After the duration it fails, without
 * waiting for the effect to end.
 */
export const within = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  options: {
    readonly duration: Duration.DurationInput
    readonly onTimeout: () => E2
    readonly context: (context: Context.Context<R>) => Context.Context<R>
  }
): Effect.Effect<A, E | E2, R> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(Effect.runtime<R>(), (runtime) =>
      // Forking where the result is awaited leaves no moment at which an interruption could miss the forked fiber.
      Effect.async<A, E | E2>((resume) => {
        const work = Runtime.runFork(Runtime.updateContext(runtime, options.context), Effect.interruptible(effect))
        const stopWork = () => {
          if (work.unsafePoll() === null) work.unsafeInterruptAsFork(FiberId.none)
        }
        const stopTimer = after(clock, options.duration, runtime, () => {
          stopWork()
          resume(Effect.failSync(options.onTimeout))
        })
        work.addObserver((exit) => {
          stopTimer()
          resume(exit)
        })
        return Effect.sync(() => {
          stopWork()
          stopTimer()
        })
      })
    )
  )

/** Calls back after the duration, unless it is stopped. A fiber for each timer would cost a tenth of a whole call. */
export const after = <R>(
  clock: Clock.Clock,
  duration: Duration.DurationInput,
  runtime: Runtime.Runtime<R>,
  callback: () => void
): (() => void) => {
  const millis = Duration.toMillis(duration)
  if (clock === liveClock() && millis <= longestTimeout) {
    const timer = setTimeout(callback, millis)
    return () => clearTimeout(timer)
  }
  const timer = Runtime.runFork(runtime, Effect.interruptible(clock.sleep(Duration.decode(duration))))
  timer.addObserver((exit) => {
    if (Exit.isSuccess(exit)) callback()
  })
  return () => {
    if (timer.unsafePoll() === null) timer.unsafeInterruptAsFork(FiberId.none)
  }
}

/** A longer one would end at once. */
const longestTimeout = 2 ** 31 - 1

const liveClock = () => Context.get(DefaultServices.liveServices, Clock.Clock)
