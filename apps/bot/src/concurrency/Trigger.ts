import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/**
 * Makes a function that runs an effect in the scope, and once more for all calls that come while it runs. No fiber waits
 * in between, since most turns are idle.
 */
export const make = <R>(effect: Effect.Effect<void, never, R>): Effect.Effect<() => void, never, R | Scope.Scope> =>
  Effect.zipWith(Effect.runtime<R>(), Effect.scope, (runtime, scope) => {
    const fork = Runtime.runFork(runtime)
    let isRunning = false
    let isDue = false
    const run: Effect.Effect<void, never, R> = Effect.suspend(() => {
      isRunning = isDue
      isDue = false
      return isRunning ? Effect.zipRight(effect, run) : Effect.void
    })
    return () => {
      isDue = true
      if (isRunning) return
      isRunning = true
      fork(run, { scope, immediate: false })
    }
  })
