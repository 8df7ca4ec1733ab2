import * as AcpSession from "@heddle/acp/AcpSession"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { openSession, peer, prompting, prompts } from "../../fixtures/Peer.ts"
import { says, text } from "../../fixtures/Session.ts"

describe("a turn", () => {
  it.scoped("ends with a known, unknown or missing stop reason, with and without usage", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
      const usage = { totalTokens: 3, inputTokens: 2, outputTokens: 1 }
      const ends = [
        [
          { stopReason: "end_turn", usage },
          { stopReason: "end_turn", usage }
        ],
        [{ stopReason: "max_tokens", usage: null }, { stopReason: "max_tokens" }],
        [{ stopReason: "max_turn_requests", usage: { odd: true } }, { stopReason: "max_turn_requests" }],
        [{ stopReason: "refusal", userMessageId: "m1" }, { stopReason: "refusal" }],
        [{ stopReason: "cancelled" }, { stopReason: "cancelled" }],
        [{ stopReason: "ran_out_of_coffee" }, { stopReason: "ran_out_of_coffee" }],
        [{ stopReason: 7 }, { stopReason: "unknown" }],
        [null, { stopReason: "unknown" }]
      ] as const
      for (const [nth, [result, expected]] of ends.entries()) {
        const turn = yield* Effect.fork(session.prompt(text("go")))
        const { id } = yield* agent.received("session/prompt", nth + 1)
        assert.isTrue((yield* session.state).running)
        agent.reply(id, result)
        assert.deepStrictEqual(yield* Fiber.join(turn), expected)
      }
      assert.isFalse((yield* session.state).running)
    })
  )

  it.scoped("runs alone: later prompts wait in order, and an interrupted one is not sent", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      const second = yield* Effect.fork(session.prompt(text("second")))
      const third = yield* Effect.fork(session.prompt(text("third")))
      const fourth = yield* Effect.fork(session.prompt(text("fourth")))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(prompts(agent), 1)
      // It has no waiting caller any more, and still runs.
      yield* Fiber.interrupt(turn)
      yield* Fiber.interrupt(third)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(prompts(agent), 1)
      agent.reply(id, { stopReason: "end_turn" })
      const next = yield* agent.received("session/prompt", 2)
      assert.deepStrictEqual(next.params.prompt, text("second"))
      yield* session.cancel.pipe(Effect.fork)
      yield* agent.received("session/cancel")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(second), { stopReason: "cancelled", isUnconfirmed: true })
      const last = yield* agent.received("session/prompt", 3)
      assert.deepStrictEqual(last.params.prompt, text("fourth"))
      agent.reply(last.id, { stopReason: "refusal" })
      assert.deepStrictEqual(yield* Fiber.join(fourth), { stopReason: "refusal" })
      assert.isFalse((yield* session.state).running)
    })
  )

  it.scoped("ends as the agent says, also after a cancellation, and ignores a second answer", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      agent.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Look", status: "in_progress" })
      const cancelling = yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      const statusOfStep = Effect.map(session.state, (state) => SessionState.toolCalls(state)[0]?.status)
      assert.strictEqual(yield* statusOfStep, "in_progress")
      agent.ask(0, "session/request_permission", { sessionId: "s1", toolCall: { toolCallId: "1" }, options: [] })
      yield* agent.answered(0)
      agent.reply(id, { stopReason: "end_turn" })
      agent.reply(id, { stopReason: "end_turn" })
      assert.strictEqual(yield* Fiber.join(cancelling), "ended")
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "end_turn" })
      assert.strictEqual(yield* statusOfStep, "in_progress")
      const next = yield* Effect.fork(session.prompt(text("next")))
      const second = yield* agent.received("session/prompt", 2)
      agent.reply(id, { stopReason: "refusal" })
      assert.isTrue((yield* session.state).running)
      agent.update({ sessionUpdate: "tool_call", toolCallId: "2", title: "Write", status: "pending" })
      agent.reply(second.id, { stopReason: "cancelled" })
      assert.deepStrictEqual(yield* Fiber.join(next), { stopReason: "cancelled" })
      const statuses = SessionState.toolCalls(yield* session.state).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["in_progress", "cancelled"])
    })
  )

  it.scoped("is cancelled when the agent says so, and only ended when it fails instead", () =>
    Effect.gen(function* () {
      for (const [reply, outcome] of [
        [{ stopReason: "cancelled" }, "cancelled"],
        [new JsonRpc.RpcError({ code: 1001, message: "Crashed" }), "ended"]
      ] as const) {
        const { agent, id, session, turn } = yield* prompting()
        const cancelling = yield* Effect.fork(session.cancel)
        yield* agent.received("session/cancel")
        agent.reply(id, reply)
        assert.strictEqual(yield* Fiber.join(cancelling), outcome)
        yield* Fiber.await(turn)
      }
    })
  )

  it.scoped("ends at the cancel deadline without an answer; a late answer does not end the next turn", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      const cancelling = yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      yield* TestClock.adjust("4999 millis")
      assert.isTrue((yield* session.state).running)
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(yield* Fiber.join(cancelling), "unconfirmed")
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled", isUnconfirmed: true })
      const next = yield* Effect.fork(session.prompt(text("next")))
      const second = yield* agent.received("session/prompt", 2)
      agent.update(says("still talking"))
      agent.reply(id, { stopReason: "cancelled" })
      assert.isTrue((yield* session.state).running)
      agent.reply(second.id, { stopReason: "end_turn" })
      assert.deepStrictEqual(yield* Fiber.join(next), { stopReason: "end_turn" })
      assert.strictEqual(SessionState.messages(yield* session.state, "agent")[0]?.text, "still talking")
    })
  )

  it.scoped("is never sent when it is cancelled before its prompt was sent", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
      agent.interrupt()
      const turn = yield* Effect.fork(session.prompt(text("go")))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* session.cancel, "cancelled")
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
      agent.connect(false)
      yield* Effect.fork(session.prompt(text("next")))
      const { params } = yield* agent.received("session/prompt")
      assert.deepStrictEqual(params.prompt, text("next"))
      // And right after it went out it is an ordinary cancellation.
      yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      assert.strictEqual(prompts(agent), 1)
    })
  )

  it.scoped("is followed when its peer says for minutes neither a word nor that it has the prompt", () =>
    Effect.gen(function* () {
      const agent = peer()
      const send: typeof agent.transport.send = (message) =>
        "method" in message && message.method === "session/prompt" ? Effect.never : agent.transport.send(message)
      const session = yield* AcpSession.make({ ...agent.transport, send }, { sessionId: "s1" })
      const turn = yield* Effect.fork(Effect.flip(session.prompt(text("go"))))
      yield* TestClock.adjust("2 minutes")
      agent.update(says("on it"))
      yield* TestClock.adjust("3 minutes")
      assert.isNull(turn.unsafePoll())
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(turn))._tag, "Detached")
    })
  )

  it.scoped("is not confirmed as cancelled when its connection is replaced, nor where another client's turn runs", () =>
    Effect.gen(function* () {
      const { agent, session, turn } = yield* prompting()
      const cancelling = yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      agent.interrupt()
      agent.connect(true)
      assert.strictEqual(yield* Fiber.join(cancelling), "unconfirmed")
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      assert.strictEqual(yield* session.cancel, "unconfirmed")
    })
  )

  it.scoped("sends its cancellation before the next prompt when it was cancelled without a connection", () =>
    Effect.gen(function* () {
      const { agent, session, turn } = yield* prompting()
      agent.interrupt()
      yield* Effect.fork(session.cancel)
      yield* Effect.yieldNow()
      const next = yield* Effect.fork(session.prompt(text("next")))
      agent.connect(true)
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      yield* TestClock.adjust("2 seconds")
      const second = yield* agent.received("session/prompt", 2)
      agent.reply(second.id, { stopReason: "end_turn" })
      assert.deepStrictEqual(yield* Fiber.join(next), { stopReason: "end_turn" })
      const methods = agent.sent.map((message) => ("method" in message ? message.method : ""))
      assert.deepStrictEqual(methods.slice(-2), ["session/cancel", "session/prompt"])
    })
  )

  for (const ended of ["at the deadline", "by the agent"]) {
    it.scoped(`keeps the next prompt waiting while its cancellation is sent, having ended ${ended}`, () =>
      Effect.gen(function* () {
        const { agent, id, session, turn } = yield* prompting()
        agent.hold = true
        yield* Effect.fork(session.cancel)
        yield* TestClock.adjust("1 second")
        if (ended === "by the agent") agent.reply(id, { stopReason: "end_turn" })
        else yield* TestClock.adjust("5 seconds")
        const { isUnconfirmed, stopReason } = yield* Fiber.join(turn)
        assert.deepStrictEqual(
          [stopReason, isUnconfirmed === true],
          ended === "at the deadline" ? ["cancelled", true] : ["end_turn", false]
        )
        const next = yield* Effect.fork(session.prompt(text("next")))
        yield* TestClock.adjust("5 seconds")
        agent.hold = false
        yield* TestClock.adjust("1 second")
        const second = yield* agent.received("session/prompt", 2)
        const methods = agent.sent.map((message) => ("method" in message ? message.method : ""))
        assert.deepStrictEqual(methods.slice(-2), ["session/cancel", "session/prompt"])
        agent.reply(second.id, { stopReason: "end_turn" })
        assert.deepStrictEqual(yield* Fiber.join(next), { stopReason: "end_turn" })
      })
    )
  }

  for (const [when, runs] of [
    ["while its turn runs", true],
    ["while no turn of its own runs", false]
  ] as const) {
    it.effect(`keeps the session open until its cancellation is sent or the deadline passes, cancelled ${when}`, () =>
      Effect.gen(function* () {
        for (const answered of [true, false]) {
          const scope = yield* Scope.make()
          const { agent, session } = yield* Scope.extend(openSession(), scope)
          if (runs) {
            const turn = yield* Effect.fork(session.prompt(text("go")))
            const { id } = yield* agent.received("session/prompt")
            agent.hold = true
            yield* Effect.fork(session.cancel)
            yield* TestClock.adjust("1 second")
            agent.reply(id, { stopReason: "end_turn" })
            yield* Fiber.join(turn)
          } else {
            agent.hold = true
            const cancelling = yield* Effect.fork(session.cancel)
            yield* TestClock.adjust("1 second")
            yield* Fiber.interrupt(cancelling)
          }
          const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
          yield* TestClock.adjust("3 seconds")
          assert.isNull(closing.unsafePoll(), "it is under way")
          if (answered) agent.hold = false
          yield* TestClock.adjust(answered ? "200 millis" : "1 second")
          yield* Fiber.join(closing)
          assert.strictEqual(
            agent.sent.filter((each) => "method" in each && each.method === "session/cancel").length,
            answered ? 1 : 0
          )
        }
      })
    )
  }

  it.scoped("fails with the error of the agent and lets the next prompt run", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      agent.reply(id, new JsonRpc.RpcError({ code: 1001, message: "No money left" }))
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn))).message, "No money left")
      yield* Effect.fork(session.prompt(text("next")))
      yield* agent.received("session/prompt", 2)
    })
  )
})
