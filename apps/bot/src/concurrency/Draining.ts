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
     * Runs an effect that goes on from its rows after the next start. A shutdown interrupts it or keeps it from beginning;
     * then it never returns, until its fiber is interrupted. An effect that is `nearlyDone` by then is left to itself.
     */
    readonly cut: <A, E, R>(effect: Effect.Effect<A, E, R>, nearlyDone?: () => boolean) => Effect.Effect<A, E, R>
    /** Begins the shutdown; waits for everything that is held, at most for two and a half seconds. */
    readonly drain: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const none = yield* Effect.makeLatch(true)
    let holding = 0
    /** What interrupts the effects that can be cut. */
    const cuts = new Set<() => void>()
    let begun = false
    const enter = Effect.sync(() => {
      holding++
      none.unsafeClose()
    })
    const leave = Effect.sync(() => {
      if (--holding === 0) none.unsafeOpen()
    })
    return Draining.of({
      hold: Effect.acquireRelease(enter, () => leave),
      cut: (effect, nearlyDone = () => false) =>
        Effect.suspend(() => {
          if (begun) return Effect.never
          let mine = () => {}
          return Interruptible.make(effect, (cut) => {
            mine = () => (nearlyDone() ? undefined : cut())
            cuts.add(mine)
          }).pipe(
            Effect.ensuring(Effect.sync(() => cuts.delete(mine))),
            Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed }))
          )
        }),
      drain: Effect.suspend(() => {
        begun = true
        for (const cut of cuts) cut()
        return Effect.asVoid(Effect.timeoutOption(none.await, "2500 millis"))
      })
    })
  })
)
