import * as AcpSession from "@heddle/acp/AcpSession"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { peer, watch } from "../fixtures/Peer.ts"

const text = (words: string) => [{ type: "text" as const, text: words }]
const says = (words: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } })

const open = Effect.fnUntraced(function* (options: Partial<AcpSession.Options> = {}) {
  const agent = peer()
  const session = yield* AcpSession.make(agent.transport, { sessionId: "s1", ...options })
  return { agent, session }
})

const prompting = Effect.fnUntraced(function* () {
  const opened = yield* open()
  const turn = yield* Effect.fork(opened.session.prompt(text("go")))
  const { id } = yield* opened.agent.received("session/prompt")
  return { ...opened, turn, id }
})

const prompts = (agent: ReturnType<typeof peer>) =>
  agent.sent.filter((message) => "method" in message && message.method === "session/prompt").length

describe("a turn", () => {
  it.scoped("ends with any reason, with usage or without, with a reason of the future, or with none", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* open()
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

  it.scoped("runs alone: a second prompt is refused and not sent, and an interrupted one holds its place", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      assert.strictEqual((yield* Effect.flip(session.prompt(text("more"))))._tag, "TurnInProgress")
      yield* Fiber.interrupt(turn)
      assert.strictEqual((yield* Effect.flip(session.prompt(text("more"))))._tag, "TurnInProgress")
      agent.reply(id, { stopReason: "end_turn" })
      yield* Effect.fork(session.prompt(text("next")))
      const { params } = yield* agent.received("session/prompt", 2)
      assert.deepStrictEqual(params.prompt, text("next"))
    })
  )

  it.scoped("is cancelled however the agent words it, and two answers are one", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      agent.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Look", status: "in_progress" })
      const cancelling = yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      assert.strictEqual(SessionState.toolCalls(yield* session.state)[0]?.status, "cancelled")
      agent.ask(0, "session/request_permission", { sessionId: "s1", toolCall: { toolCallId: "1" }, options: [] })
      yield* agent.answered(0)
      agent.reply(id, { stopReason: "end_turn" })
      agent.reply(id, { stopReason: "end_turn" })
      yield* Fiber.join(cancelling)
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
      const next = yield* Effect.fork(session.prompt(text("next")))
      const second = yield* agent.received("session/prompt", 2)
      agent.reply(id, { stopReason: "refusal" })
      assert.isTrue((yield* session.state).running)
      agent.reply(second.id, { stopReason: "end_turn" })
      assert.deepStrictEqual(yield* Fiber.join(next), { stopReason: "end_turn" })
    })
  )

  it.scoped("is over at the deadline when the agent does not end it, and its late end is no other turn's", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      const cancelling = yield* Effect.fork(session.cancel)
      yield* agent.received("session/cancel")
      yield* TestClock.adjust("4999 millis")
      assert.isTrue((yield* session.state).running)
      yield* TestClock.adjust("1 milli")
      yield* Fiber.join(cancelling)
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
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

  it.scoped("that is stopped before its prompt went out is never sent", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* open()
      agent.interrupt()
      const turn = yield* Effect.fork(session.prompt(text("go")))
      yield* Effect.yieldNow()
      yield* session.cancel
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

  it.scoped("that lost its connection is not sent again; whether it runs is asked until it does not", () =>
    Effect.gen(function* () {
      const { agent, session, turn } = yield* prompting()
      agent.update(says("half"))
      agent.interrupt()
      agent.connect(true)
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      let asked = 0
      const busy = Effect.sync(() => ++asked < 4)
      const waiting = yield* Effect.fork(session.awaitIdle(busy))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(asked, 3)
      yield* TestClock.adjust("400 millis")
      assert.strictEqual(asked, 4)
      // The words that were under way while the status said "idle".
      yield* TestClock.adjust("200 millis")
      agent.update(says(" and whole"))
      yield* TestClock.adjust("200 millis")
      assert.strictEqual((yield* Fiber.poll(waiting))._tag, "None")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.strictEqual(SessionState.messages(yield* session.state, "agent")[0]?.text, "half and whole")
      assert.strictEqual(prompts(agent), 1)
    })
  )

  it.scoped("that nobody waits for any more does not hold its place when its connection is gone", () =>
    Effect.gen(function* () {
      const { agent, session, turn } = yield* prompting()
      yield* Fiber.interrupt(turn)
      agent.interrupt()
      agent.connect(true)
      yield* Effect.fork(session.prompt(text("next")))
      const { params } = yield* agent.received("session/prompt", 2)
      assert.deepStrictEqual(params.prompt, text("next"))
    })
  )

  it.scoped("that nobody can ask about fails with the asker's error, and a broken channel is waited for", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* open()
      assert.strictEqual(yield* Effect.flip(session.awaitIdle(Effect.fail("no status" as const))), "no status")
      agent.interrupt()
      const waiting = yield* Effect.fork(session.awaitIdle(Effect.succeed(false)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.poll(waiting))._tag, "None")
      agent.connect(false)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
    })
  )

  it.scoped("that the agent refuses fails with the agent's words and leaves the next one free", () =>
    Effect.gen(function* () {
      const { agent, id, session, turn } = yield* prompting()
      agent.reply(id, new JsonRpc.RpcError({ code: 1001, message: "No money left" }))
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn))).message, "No money left")
      yield* Effect.fork(session.prompt(text("next")))
      yield* agent.received("session/prompt", 2)
    })
  )
})

describe("changes", () => {
  it.scoped("leaves a reader that does not read with a bounded number of events and the newest state", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* open()
      const { events, until } = yield* watch(session)
      const before = events.length
      // All in one go, so that the reader does not come in between.
      for (let n = 0; n < 5_000; n++) {
        agent.push(JsonRpc.notification("_vendor.ai/later", { n }))
        agent.update(says("x"))
      }
      const { count } = yield* until("Missed")
      const got = events.slice(before).flatMap((event) => (event._tag === "Unknown" ? [event.params] : []))
      assert.strictEqual(count + got.length, 5_000)
      assert.isBelow(got.length, 1_000)
      assert.deepStrictEqual(got.at(-1), { n: 4_999 })
      assert.strictEqual(SessionState.messages(yield* session.state, "agent")[0]?.text.length, 5_000)
    })
  )
})
