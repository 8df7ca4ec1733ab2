import { assert, describe, it } from "@effect/vitest"
import * as ChannelQueue from "@heddle/bot/concurrency/ChannelQueue"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

describe("a channel queue", () => {
  it.effect("keeps the order of each channel, blocks no other channel, and survives failures", () =>
    Effect.gen(function* () {
      const queue = yield* ChannelQueue.ChannelQueue
      const done: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const say = (word: string) => Effect.sync(() => void done.push(word))
      yield* queue.add("a", Effect.zipRight(Deferred.await(gate), say("a1")))
      yield* queue.add("a", Effect.dieMessage("broken"))
      const last = yield* Effect.fork(queue.runAndWait("a", Effect.as(say("a2"), "answer")))
      yield* queue.runAndWait("b", say("b1"))
      assert.deepEqual(done, ["b1"])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(last), "answer")
      assert.strictEqual(yield* Effect.flip(queue.runAndWait("a", Effect.fail("no"))), "no")
      yield* queue.runAndWait("a", say("a3"))
      assert.deepEqual(done, ["b1", "a1", "a2", "a3"])
    }).pipe(Effect.provide(ChannelQueue.layer))
  )

  it.effect("combines equal work that waits, but not across other work", () =>
    Effect.gen(function* () {
      const queue = yield* ChannelQueue.ChannelQueue
      const done: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const all = (these: ReadonlyArray<string>) => Effect.sync(() => void done.push(these.join("+")))
      yield* queue.add("a", Deferred.await(gate))
      for (const one of ["1", "2", "3"]) yield* queue.addToBatch("a", one, all)
      yield* queue.add("a", all(["between"]))
      yield* queue.addToBatch("a", "4", all)
      for (let at = 0; at < 100; at++) yield* queue.addToBatch("a", "5", all)
      yield* Deferred.succeed(gate, undefined)
      yield* queue.runAndWait("a", Effect.void)
      const most = `4${"+5".repeat(99)}`
      assert.deepEqual(done, ["1+2+3", "between", most, "5"])
    }).pipe(Effect.provide(ChannelQueue.layer))
  )

  it.effect("does no further work after its end, and does not report waiting work as done", () =>
    Effect.gen(function* () {
      const queue = yield* ChannelQueue.ChannelQueue
      const begun = yield* Deferred.make<void>()
      const waiting = yield* Effect.fork(
        queue.runAndWait("a", Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Deferred.await(begun)
      yield* queue.end
      const after = yield* Effect.fork(queue.runAndWait("a", Effect.void))
      yield* Effect.yieldNow()
      assert.deepEqual([waiting.unsafePoll(), after.unsafePoll()], [null, null])
      yield* Fiber.interruptAll([waiting, after])
    }).pipe(Effect.provide(ChannelQueue.layer))
  )
})
