import { assert, describe, it } from "@effect/vitest"
import * as Trigger from "@heddle/bot/concurrency/Trigger"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
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

  it.effect("runs for the next call after a defect", () =>
    Effect.gen(function* () {
      let runs = 0
      const trigger = yield* Trigger.make(Effect.suspend(() => (++runs === 1 ? Effect.die("first") : Effect.void)))
      trigger()
      yield* TestClock.adjust("1 second")
      trigger()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(runs, 2)
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("runs for the next call after another fiber's interruption reaches it", () =>
    Effect.gen(function* () {
      let runs = 0
      const trigger = yield* Trigger.make(Effect.suspend(() => (++runs === 1 ? Effect.interrupt : Effect.void)))
      trigger()
      yield* TestClock.adjust("1 second")
      trigger()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(runs, 2)
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
  )

  for (const isRunning of [true, false])
    it.effect(`ends with its scope, while it ${isRunning ? "runs" : "waits for a call"}`, () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { runs, trigger } = yield* counted(scope)
        trigger()
        yield* TestClock.adjust(isRunning ? "500 millis" : "1 second")
        yield* Scope.close(scope, Exit.void)
        trigger()
        yield* TestClock.adjust("10 seconds")
        assert.deepEqual(runs, { begun: 1, ended: isRunning ? 0 : 1 })
      })
    )

  for (const calls of [1, 2])
    it.effect(`may close its own scope, and does not run again for the call before that: ${calls}`, () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        let closes = 0
        const close = Effect.gen(function* () {
          yield* Effect.sleep("1 second")
          yield* Scope.close(scope, Exit.void)
          closes++
        })
        const trigger = yield* Scope.extend(Trigger.make(close), scope)
        trigger()
        yield* TestClock.adjust("500 millis")
        if (calls > 1) trigger()
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(closes, 1)
      })
    )
})
