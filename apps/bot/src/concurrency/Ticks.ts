import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Calls functions once a second, on one fiber: a thousand turns may watch for a silence at the same time. */
export class Ticks extends Context.Tag("@heddle/bot/Ticks")<
  Ticks,
  {
    /** Calls a function from now on, until the scope ends. */
    readonly add: (onTick: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

export const layer: Layer.Layer<Ticks> = Layer.scoped(
  Ticks,
  Effect.gen(function* () {
    const listeners = new Set<() => void>()
    const tick = Effect.suspend(() => {
      const failures: Array<unknown> = []
      for (const onTick of listeners) {
        try {
          onTick()
        } catch (cause) {
          failures.push(cause)
        }
      }
      return Effect.forEach(failures, (cause) => Effect.logError("A check failed", cause), { discard: true })
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(tick, "1 second")))
    return Ticks.of({
      add: (onTick) =>
        Effect.acquireRelease(
          Effect.sync(() => void listeners.add(onTick)),
          () => Effect.sync(() => listeners.delete(onTick))
        )
    })
  })
)
