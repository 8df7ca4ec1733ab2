import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Interruptible from "./Interruptible.ts"

/** Lets a shutdown wait for what is nearly done; everything else goes on from its rows after the next start. */
export class Draining extends Context.Tag("@heddle/bot/Draining")<
  Draining,
  {
    /** Makes a shutdown wait until the scope ends, for a moment at most. */
    readonly hold: Effect.Effect<void, never, Scope.Scope>
    /**
     * Runs an effect that goes on from its rows after the next start. A shutdown interrupts it or keeps it from
     * beginning; then it never returns, until its fiber is interrupted. An effect for which `isNearlyDone` is true by
     * then is left to itself.
     */
    readonly cut: <A, E, R>(effect: Effect.Effect<A, E, R>, isNearlyDone?: () => boolean) => Effect.Effect<A, E, R>
    /** Begins the shutdown; waits for everything that is held, at most for two and a half seconds. */
    readonly drain: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const noHolds = yield* Effect.makeLatch(true)
    let holds = 0
    /** What interrupts the effects that can be cut. */
    const interrupters = new Set<() => void>()
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
      cut: (effect, isNearlyDone = () => false) =>
        Effect.suspend(() => {
          if (isDraining) return Effect.never
          let interrupter = () => {}
          return Interruptible.make(effect, (cut) => {
            interrupter = () => (isNearlyDone() ? undefined : cut())
            interrupters.add(interrupter)
          }).pipe(
            Effect.ensuring(Effect.sync(() => interrupters.delete(interrupter))),
            Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed }))
          )
        }),
      drain: Effect.suspend(() => {
        isDraining = true
        for (const cut of interrupters) cut()
        return Effect.asVoid(Effect.timeoutOption(noHolds.await, "2500 millis"))
      })
    })
  })
)
