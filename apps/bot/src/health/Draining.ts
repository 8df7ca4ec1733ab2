import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Knows what is better finished than cut when the bot is stopped; everything else goes on from its rows. */
export class Draining extends Context.Tag("@heddle/bot/Draining")<
  Draining,
  {
    /** Does something that a stop waits for, if it does not take long. */
    readonly finish: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Whether the bot is being stopped: nothing new is begun. */
    readonly begun: () => boolean
    /** Begins to stop; waits until everything is finished that is better finished, at most for two and a half seconds. */
    readonly drain: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const none = yield* Effect.makeLatch(true)
    let finishing = 0
    let begun = false
    const enter = Effect.sync(() => {
      finishing++
      none.unsafeClose()
    })
    const leave = Effect.sync(() => {
      if (--finishing === 0) none.unsafeOpen()
    })
    return Draining.of({
      finish: (effect) =>
        Effect.acquireUseRelease(
          enter,
          () => effect,
          () => leave
        ),
      begun: () => begun,
      drain: Effect.suspend(() => {
        begun = true
        return Effect.asVoid(Effect.timeoutOption(none.await, "2500 millis"))
      })
    })
  })
)
