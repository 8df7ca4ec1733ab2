import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Lets a shutdown wait for what is nearly done; everything else goes on from its rows after the next start. */
export class Draining extends Context.Tag("@heddle/bot/Draining")<
  Draining,
  {
    /** Makes a shutdown wait until the scope ends, for a moment at most. */
    readonly hold: Effect.Effect<void, never, Scope.Scope>
    /**
     * Runs an effect that goes on from its rows after the next start. A shutdown interrupts it or keeps it from
     * beginning; then it never returns, until its fiber is interrupted.
     */
    readonly cut: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Calls a function when a shutdown begins, until the scope ends. It never returns after that. */
    readonly onDrain: (onDrain: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** Begins the shutdown; waits for everything that is held, at most for two and a half seconds. */
    readonly drain: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const begun = yield* Effect.makeLatch(false)
    const noHolds = yield* Effect.makeLatch(true)
    let holds = 0
    const listeners = new Set<() => void>()
    let isDraining = false
    const enter = Effect.sync(() => {
      holds++
      noHolds.unsafeClose()
    })
    const leave = Effect.sync(() => {
      if (--holds === 0) noHolds.unsafeOpen()
    })
    return Draining.of({
      hold: Effect.acquireRelease(enter, () => leave),
      cut: (effect) =>
        Effect.suspend(() => {
          if (isDraining) return Effect.never
          const cut = Effect.as(begun.await, Effect.never)
          return Effect.flatten(Effect.raceFirst(Effect.map(effect, Effect.succeed), cut))
        }),
      onDrain: (onDrain) =>
        Effect.suspend(() => {
          if (isDraining) return Effect.never
          return Effect.acquireRelease(
            Effect.sync(() => void listeners.add(onDrain)),
            () => Effect.sync(() => listeners.delete(onDrain))
          )
        }),
      drain: Effect.suspend(() => {
        isDraining = true
        begun.unsafeOpen()
        for (const onDrain of listeners) onDrain()
        return Effect.asVoid(Effect.timeoutOption(noHolds.await, "2500 millis"))
      })
    })
  })
)
