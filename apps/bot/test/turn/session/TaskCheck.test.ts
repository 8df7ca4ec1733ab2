import { assert, describe, it } from "@effect/vitest"
import * as Update from "@heddle/acp/schema/Update"
import * as SessionState from "@heddle/acp/SessionState"
import { english } from "@heddle/bot/messages/Translations"
import * as ChannelSilence from "@heddle/bot/turn/ChannelSilence"
import * as Outage from "@heddle/bot/turn/machine/Outage"
import * as TaskCheck from "@heddle/bot/turn/session/TaskCheck"
import * as TurnState from "@heddle/bot/turn/TurnState"
import { RateLimited, Unreachable } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

const limited = new RateLimited({ code: "rate_limited", description: "too many", retryAfter: 300 })
const waiting = english.waitingForService

const saidMore = SessionState.fold(SessionState.empty, [
  Update.decode({
    sessionId: "s",
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "words" } }
  })!.update
])

const asked: SessionState.SessionState = {
  ...saidMore,
  permissions: [{ requestId: 1 } as never]
}

describe("a read of a task while the service limits requests", () => {
  const begin = (reads: ReadonlyArray<Effect.Effect<TaskCheck.TaskRead, RateLimited | Unreachable>>) =>
    Effect.gen(function* () {
      let count = 0
      const state = TurnState.make("turn")
      const read = Effect.suspend(() => reads[Math.min(count++, reads.length - 1)]!)
      const silentMs = yield* ChannelSilence.make(state)
      const reader = TaskCheck.whileLimited(read, { messages: english, silentMs, state })
      const fiber = yield* Effect.fork(Effect.either(reader.readTask))
      yield* TestClock.adjust("1 second")
      return { fiber, reader, shown: () => state.conversation().notice?.text, state }
    })

  it.effect("is told until the agent says more", () =>
    Effect.gen(function* () {
      const { fiber, shown, state } = yield* begin([
        Effect.fail(limited),
        Effect.succeed({ status: "Busy", isHeld: false })
      ])
      assert.equal(shown(), waiting)
      state.set({ session: saidMore })
      assert.isUndefined(shown())
      yield* TestClock.adjust("5 minutes")
      assert.equal((yield* Fiber.join(fiber))._tag, "Right")
    })
  )

  it.effect("ends without the notice that somebody else shows", () =>
    Effect.gen(function* () {
      const away = new Unreachable({ operation: "read", reason: "reset" })
      const { fiber, shown, state } = yield* begin([Effect.fail(limited), Effect.fail(away)])
      state.set({ notice: { _tag: "Waiting", text: "somebody else" } })
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(fiber)
      assert.equal(shown(), "somebody else")
      state.set({ notice: undefined })
      assert.isUndefined(shown())
    })
  )

  it.effect("fails after a quarter of an hour and tells since when it is refused", () =>
    Effect.gen(function* () {
      const { fiber, reader } = yield* begin([Effect.fail(limited)])
      const since = reader.refusedSince(yield* Clock.currentTimeMillis)
      yield* TestClock.adjust("20 minutes")
      assert.equal((yield* Fiber.join(fiber))._tag, "Left")
      assert.isDefined(since)
      assert.equal(reader.refusedSince(yield* Clock.currentTimeMillis), since)
    })
  )

  it.effect("waits on while the agent speaks, and while a request of the agent is open", () =>
    Effect.gen(function* () {
      const { fiber, shown, state } = yield* begin([Effect.fail(limited)])
      yield* TestClock.adjust("14 minutes")
      state.set({ session: saidMore })
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
      // The refusals go on, but the agent speaks: their notice stays away.
      assert.isUndefined(shown())
      state.set({ session: asked })
      yield* TestClock.adjust("2 hours")
      assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
      state.set({ session: saidMore })
      yield* TestClock.adjust("20 minutes")
      assert.equal((yield* Fiber.join(fiber))._tag, "Left")
    })
  )

  it.effect("gives up after a quarter of an hour in all, also where another read takes over", () =>
    Effect.gen(function* () {
      const { fiber, reader } = yield* begin([Effect.fail(limited)])
      yield* TestClock.adjust("14 minutes")
      yield* Fiber.interrupt(fiber)
      const next = yield* Effect.fork(Effect.either(reader.readTask))
      yield* TestClock.adjust("6 minutes")
      assert.equal((yield* Fiber.join(next))._tag, "Left")
    })
  )

  it.effect("waits as asked again after a read has given up", () =>
    Effect.gen(function* () {
      const { fiber, reader } = yield* begin([Effect.fail(limited)])
      yield* TestClock.adjust("20 minutes")
      yield* Fiber.join(fiber)
      const next = yield* Effect.fork(Effect.either(reader.readTask))
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(Option.isNone(yield* Fiber.poll(next)))
    })
  )

  it.effect("counts its refusals where a failing service ends them", () =>
    Effect.gen(function* () {
      const { fiber, reader } = yield* begin([
        Effect.fail(limited),
        Effect.fail(limited),
        Effect.fail(new Unreachable({ operation: "read", reason: "reset" }))
      ])
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      const failedAt = yield* Clock.currentTimeMillis
      const times = { beganAt: 0, openedAt: 0, refusedSince: reader.refusedSince(failedAt), failedAt }
      assert.isFalse(Outage.hasRecovered(times))
    })
  )
})
