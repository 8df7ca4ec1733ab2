import { assert, describe, it } from "@effect/vitest"
import * as Trigger from "@heddle/bot/concurrency/Trigger"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"

const counted = (scope: Scope.Scope) =>
  Effect.gen(function* () {
    const runs = { begun: 0, ended: 0 }
    const run = Effect.gen(function* () {
      runs.begun++
      yield* Effect.sleep("1 second")
      runs.ended++
    })
    return { runs, trigger: yield* Scope.extend(Trigger.make(run), scope) }
  })

describe("a trigger", () => {
  it.effect("runs once for one call, and once more for all calls that come meanwhile", () =>
    Effect.gen(function* () {
      const { runs, trigger } = yield* counted(yield* Effect.scope)
      trigger()
      yield* TestClock.adjust("500 millis")
      assert.deepEqual(runs, { begun: 1, ended: 0 })
      for (let calls = 0; calls < 3; calls++) trigger()
      yield* TestClock.adjust("500 millis")
      assert.deepEqual(runs, { begun: 2, ended: 1 })
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(runs, { begun: 2, ended: 2 })
      trigger()
      yield* TestClock.adjust("1 second")
      assert.deepEqual(runs, { begun: 3, ended: 3 })
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { runs, trigger } = yield* counted(scope)
      trigger()
      yield* TestClock.adjust("500 millis")
      yield* Scope.close(scope, Exit.void)
      trigger()
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(runs, { begun: 1, ended: 0 })
    })
  )
})
