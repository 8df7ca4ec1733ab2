import { assert, describe, it } from "@effect/vitest"
import * as Mutex from "@heddle/bot/concurrency/Mutex"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const started = (mutex: Mutex.Mutex, order: Array<string>) => {
  const fork = (name: string, effect: Effect.Effect<void> = Effect.void) =>
    Effect.fork(
      mutex.run(
        Effect.zipRight(
          Effect.sync(() => void order.push(name)),
          effect
        )
      )
    ).pipe(Effect.tap(Effect.yieldNow()))
  return fork
}

describe("a mutex", () => {
  it.effect("lets no effect that comes at the moment of a release overtake one that waits", () =>
    Effect.gen(function* () {
      const mutex = Mutex.make()
      const order: Array<string> = []
      const release = yield* Effect.makeLatch()
      const both = mutex.run(release.await).pipe(Effect.zipRight(mutex.run(Effect.sync(() => void order.push("late")))))
      const first = yield* Effect.fork(both)
      yield* Effect.yieldNow()
      const second = yield* started(mutex, order)("waiting")
      yield* release.open
      yield* Fiber.joinAll([first, second])
      assert.deepEqual(order, ["waiting", "late"])
      assert.isFalse(mutex.isBusy())
    })
  )

  it.effect("goes on behind an effect that is interrupted while it runs or waits, and begins none early", () =>
    Effect.gen(function* () {
      const mutex = Mutex.make()
      const order: Array<string> = []
      const fork = started(mutex, order)
      const running = yield* fork("running", Effect.never)
      const waiting = yield* fork("waiting")
      const last = yield* fork("last")
      yield* Fiber.interrupt(waiting)
      assert.deepEqual(order, ["running"])
      yield* Fiber.interrupt(running)
      yield* Fiber.join(last)
      assert.deepEqual(order, ["running", "last"])
    })
  )
})
