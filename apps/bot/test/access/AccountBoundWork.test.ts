import { assert, describe, it } from "@effect/vitest"
import * as AccountBoundWork from "@heddle/bot/access/AccountBoundWork"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"

const person = "1"

/** Work in a scope of its own, with what `onEnd` makes of its account's end. */
const begun = (work: AccountBoundWork.AccountBoundWork, onEnd: (finish: AccountBoundWork.Finish) => void) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Scope.extend(work.begin(person, onEnd), scope)
    return { close: Scope.close(scope, Exit.void) }
  })

describe("work that is bound to an account", () => {
  it.effect("is counted by what it says of its end", () =>
    Effect.gen(function* () {
      const work = AccountBoundWork.make()
      for (const isStopped of [true, false, undefined]) yield* begun(work, (finish) => finish(isStopped))
      const { close } = yield* begun(work, (finish) => finish(true))
      yield* close
      assert.deepEqual(yield* work.end(person), { stopped: 1, continuing: 1 })
    })
  )

  it.effect("holds up the end no longer when it ends by itself", () =>
    Effect.gen(function* () {
      const work = AccountBoundWork.make()
      const ended: Array<Effect.Effect<void>> = []
      const endAll = () => ended.forEach((close) => Effect.runSync(close))
      for (let each = 0; each < 2; each++) ended.push((yield* begun(work, endAll)).close)
      assert.deepEqual(yield* work.end(person), { stopped: 0, continuing: 0 })
    })
  )

  it.effect("counts as continuing after four seconds", () =>
    Effect.gen(function* () {
      const work = AccountBoundWork.make()
      yield* begun(work, () => {})
      const end = yield* Effect.fork(work.end(person))
      yield* TestClock.adjust("4 seconds")
      assert.deepEqual(yield* Fiber.join(end), { stopped: 0, continuing: 1 })
    })
  )
})
