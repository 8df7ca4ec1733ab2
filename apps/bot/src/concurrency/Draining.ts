import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Interruptible from "./Interruptible.ts"

/** Knows what is better finished than cut when the bot is stopped; everything else goes on from its rows. */
export class Draining extends Context.Tag("@heddle/bot/Draining")<
  Draining,
  {
    /** Makes a stop wait until the scope ends, if that does not take long. */
    readonly hold: Effect.Effect<void, never, Scope.Scope>
    /**
     * Does something that goes on from its rows after the next start: a stop cuts it or keeps it from beginning, and then
     * it never returns, until its fiber is ended. What is `nearlyDone` by then is left to itself.
     */
    readonly cut: <A, E, R>(effect: Effect.Effect<A, E, R>, nearlyDone?: () => boolean) => Effect.Effect<A, E, R>
    /** Begins to stop; waits until everything is finished that is better finished, at most for two and a half seconds. */
    readonly drain: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const none = yield* Effect.makeLatch(true)
    let holding = 0
    /** Cuts what is under way and can be cut. */
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
