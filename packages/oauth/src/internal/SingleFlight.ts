import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Starts an effect under a key, or joins the one that runs under it. The effect belongs to the scope and not to its
 * callers: it goes on when they are interrupted.
 */
export type SingleFlight<A, E> = (key: string, effect: Effect.Effect<A, E>) => Effect.Effect<Deferred.Deferred<A, E>>

export const make = <A, E>(scope: Scope.Scope): SingleFlight<A, E> => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return (key, effect) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const joined = running.get(key)
        if (joined !== undefined) return Effect.succeed(joined)
        return Effect.flatMap(Deferred.make<A, E>(), (result) => {
          running.set(key, result)
          return effect.pipe(
            Effect.interruptible,
            Effect.onExit((exit) => {
              running.delete(key)
              return Deferred.done(result, exit)
            }),
            Effect.forkIn(scope),
            Effect.as(result)
          )
        })
      })
    )
}
