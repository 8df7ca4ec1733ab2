import { assert, describe, it } from "@effect/vitest"
import * as Admission from "@heddle/bot/concurrency/Admission"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const work = (millis: number) => {
  for (const until = performance.now() + millis; performance.now() < until;);
}

describe("admission", () => {
  it.live("admits turns as fast as they progress, in order", () =>
    Effect.gen(function* () {
      const { enter } = yield* Admission.Admission
      const began: Array<number> = []
      let running = 0
      let most = 0
      const turn = (at: number) =>
        Effect.gen(function* () {
          yield* enter
          began.push(at)
          most = Math.max(most, ++running)
          for (let step = 0; step < 3; step++) {
            work(2)
            yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
          }
          running--
        })
      const all = Array.from({ length: 60 }, (_, at) => at)
      yield* Effect.forEach(all, turn, { concurrency: "unbounded", discard: true })
      assert.deepEqual(began, all)
      assert.isBelow(most, 20)
    }).pipe(Effect.provide(Admission.layer))
  )

  it.live("forgets a request that was interrupted", () =>
    Effect.gen(function* () {
      const { enter } = yield* Admission.Admission
      yield* enter
      const given = yield* Effect.fork(Effect.zipRight(enter, Effect.never))
      const left = yield* Effect.fork(enter)
      const last = yield* Effect.fork(enter)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(left)
      yield* Fiber.interrupt(given)
      yield* Fiber.join(last)
    }).pipe(Effect.provide(Admission.layer))
  )
})
