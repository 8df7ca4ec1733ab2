import { assert, describe, it } from "@effect/vitest"
import * as Typing from "@heddle/bot/outbox/Typing"
import * as SetBackClock from "@heddle/test-support/SetBackClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

describe("typing", () => {
  it.scoped("is shown before the first post and during pauses, unless the turn waits for a person", () =>
    Effect.gen(function* () {
      const typed: Array<number> = []
      const seen = { changedAt: undefined as number | undefined, isAtWork: true }
      const type = () => Effect.map(Clock.currentTimeMillis, (now) => void typed.push(now / 1000))
      const { whileSilent } = yield* Typing.make(type, 100)
      yield* whileSilent("thread", { changedAt: () => seen.changedAt, isAtWork: () => seen.isAtWork })
      const until = (second: number) => TestClock.setTime(second * 1000)
      yield* until(9)
      assert.deepEqual(typed, [0, 8])
      // Its words come every second: nothing else has to tell that it is at work.
      for (let second = 10; second <= 30; second++) {
        seen.changedAt = second * 1000
        yield* until(second)
      }
      assert.deepEqual(typed, [0, 8])
      yield* until(60)
      assert.deepEqual(typed, [0, 8, 40, 48, 56])
      seen.isAtWork = false
      yield* until(100)
      assert.deepEqual(typed, [0, 8, 40, 48, 56])
      seen.isAtWork = true
      yield* until(110)
      assert.isAbove(typed.length, 5)
    })
  )

  it.scoped("is shown where the time of day is set back", () =>
    SetBackClock.within((setBack) =>
      Effect.gen(function* () {
        let typed = 0
        const { whileSilent } = yield* Typing.make(() => Effect.sync(() => void typed++), 100)
        yield* whileSilent("thread", { changedAt: () => undefined, isAtWork: () => true })
        yield* TestClock.adjust("1 second")
        assert.strictEqual(typed, 1)
        setBack(7_200_000)
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(typed, 4)
      })
    )
  )

  it.scoped("uses a small share of the calls for any number of agents, and serves new ones first", () =>
    Effect.gen(function* () {
      const typed: Array<string> = []
      const { whileSilent } = yield* Typing.make((threadId) => Effect.sync(() => void typed.push(threadId)), 400)
      const silent = { changedAt: () => undefined, isAtWork: () => true }
      const many = Array.from({ length: 50 }, (_, at) => `thread ${at}`)
      const pass = (times: number) =>
        Effect.forEach(Array.from({ length: times }), () => TestClock.adjust(400), { discard: true })
      for (const threadId of many.slice(0, 40)) yield* whileSilent(threadId, silent)
      yield* pass(30)
      assert.closeTo(typed.length, 30, 1)
      for (const threadId of many.slice(40)) yield* whileSilent(threadId, silent)
      yield* pass(30)
      assert.closeTo(typed.length, 60, 1)
      assert.deepEqual(typed, [...many, ...many].slice(0, typed.length))
    })
  )
})
