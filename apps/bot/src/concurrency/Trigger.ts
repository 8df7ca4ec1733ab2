import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"

/**
 * Makes a function that runs an effect, and once more for all calls that come while it runs, until the scope ends. No fiber
 * waits in between, since most turns are idle.
 */
export const make = <R>(effect: Effect.Effect<void, never, R>): Effect.Effect<() => void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Runtime.runFork(yield* Effect.runtime<R>())
    let fiber: Fiber.RuntimeFiber<void> | undefined
    let isDue = false
    let hasEnded = false
    // Nobody waits for the result, and the next call still counts; also where what the effect awaits was interrupted.
    const logged = Effect.catchAllCause(effect, (cause) =>
      hasEnded && Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError("Work of a turn failed", cause)
    )
    const run: Effect.Effect<void, never, R> = Effect.suspend(() => {
      if (isDue) {
        isDue = false
        return Effect.zipRight(logged, run)
      }
      fiber = undefined
      return Effect.void
    })
    // The effect itself may close the scope.
    const end = Effect.withFiberRuntime<void>((self) => {
      hasEnded = true
      isDue = false
      return fiber === undefined || fiber === self ? Effect.void : Fiber.interrupt(fiber)
    })
    yield* Scope.addFinalizer(yield* Effect.scope, end)
    return () => {
      if (hasEnded) return
      isDue = true
      fiber ??= fork(run, { immediate: false })
    }
  })
