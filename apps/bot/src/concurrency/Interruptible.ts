import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/**
 * Runs an effect that can be cut from outside, by the callback that is given; none when it was. A callback instead of a
 * race, which takes a fiber more for each turn that runs.
 */
export const make = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  onStart: (cut: () => void) => void
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(restore(effect))
      let isCut = false
      onStart(() => {
        isCut = true
        fiber.unsafeInterruptAsFork(fiber.id())
      })
      const exit = yield* Effect.onInterrupt(restore(Fiber.await(fiber)), () => Fiber.interrupt(fiber))
      if (isCut && Exit.isInterrupted(exit)) return Option.none()
      yield* Fiber.inheritAll(fiber)
      return Option.some(yield* exit)
    })
  )
