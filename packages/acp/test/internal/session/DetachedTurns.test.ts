import { ConnectionLost } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { openSession, peer, prompting, prompts } from "../../fixtures/Peer.ts"
import { says, text } from "../../fixtures/Session.ts"

describe("a turn whose connection was lost", () => {
  it.scoped("is not sent again after its connection was lost; awaitIdle polls until the agent is idle", () =>
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

  for (const [what, arrived, others, before] of [
    ["is in the history", "delivered", [], "go on"],
    ["is not in the history", "not delivered", [], "begin"],
    ["may be the only message in the history, in place of an equal one", "unknown", [], "go on"],
    ["is in the history after another client's", "delivered", ["what others say"], "go on"],
    ["is not in the history, but a message with other words is", "unknown", ["what others say"], "go on"]
  ] as const) {
    it.scoped(`counts as ${arrived} after its connection was lost when it ${what}`, () =>
      Effect.gen(function* () {
        const { agent, session } = yield* openSession()
        const said = (words: string) => agent.update({ ...says(words), sessionUpdate: "user_message_chunk" })
        const first = yield* Effect.fork(session.prompt(text(before)))
        agent.update(says("one"))
        agent.reply((yield* agent.received("session/prompt")).id, { stopReason: "end_turn" })
        yield* Fiber.join(first)
        const turn = yield* Effect.fork(session.prompt(text("go on")))
        yield* agent.received("session/prompt", 2)
        delete agent.answers["session/load"]
        agent.interrupt()
        agent.connect(true)
        assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
        // Some agents do not tell a prompt whose turn is running.
        const running = yield* agent.received("session/load", 2)
        said(before)
        agent.update(says("one"))
        agent.reply(running.id, null)
        let busy = true
        const idle = yield* Effect.fork(session.awaitIdle(Effect.sync(() => busy)))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(SessionState.messages(yield* session.state, "user").length, 2)
        busy = false
        yield* TestClock.adjust("10 seconds")
        const after = yield* agent.received("session/load", 3)
        said(before)
        agent.update(says("one"))
        for (const words of others) {
          said(words)
          agent.update(says("theirs"))
        }
        if (arrived === "delivered") said("go on")
        agent.reply(after.id, null)
        const exit = yield* Effect.either(Fiber.join(idle))
        const found = { delivered: "idle", "not delivered": "NotDelivered", unknown: "DeliveryUnknown" }[arrived]
        assert.deepStrictEqual(Either.isLeft(exit) ? exit.left._tag : "idle", found)
        const shown = SessionState.messages(yield* session.state).map((message) => message.text)
        const theirs = others.flatMap((words) => [words, "theirs"])
        const isKept = arrived === "delivered" || (arrived === "unknown" && others.length === 0)
        assert.deepStrictEqual(shown, [before, "one", ...theirs, ...(isKept ? ["go on"] : [])])
        assert.strictEqual(prompts(agent), 2)
        // It is settled once.
        const again = yield* Effect.fork(session.awaitIdle(Effect.succeed(false)))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(again)
        yield* Effect.fork(session.prompt(text("next")))
        yield* agent.received("session/prompt", 3)
        agent.update(says("two"))
        const state = yield* session.state
        assert.deepStrictEqual(
          SessionState.messages(state)
            .slice(shown.length)
            .map((message) => message.text),
          ["next", "two"]
        )
        assert.strictEqual(new Set(state.entries.map((entry) => entry.key)).size, state.entries.length)
      })
    )
  }

  it.scoped("is looked for on a new connection: on its own, live updates would count as the replay", () =>
    Effect.gen(function* () {
      const agent = peer()
      const lost = new ConnectionLost({ description: "lost", sent: true })
      const isPrompt = (message: JsonRpc.Message) => "method" in message && message.method === "session/prompt"
      const send = (message: JsonRpc.Message) =>
        isPrompt(message) ? Effect.andThen(agent.transport.send(message), lost) : agent.transport.send(message)
      const session = yield* AcpSession.make({ ...agent.transport, send }, { sessionId: "s1" })
      assert.strictEqual((yield* Effect.flip(session.prompt(text("go"))))._tag, "Detached")
      delete agent.answers["session/load"]
      agent.update(says("one "))
      const idle = yield* Effect.fork(session.awaitIdle(Effect.succeed(false)))
      yield* TestClock.adjust("1 second")
      const load = yield* agent.received("session/load", 2)
      // The last words of the turn were stuck on the way.
      agent.updateOn(1, says("two"))
      agent.update({ ...says("go"), sessionUpdate: "user_message_chunk" })
      agent.update(says("one two"))
      agent.reply(load.id, null)
      yield* Fiber.join(idle)
      const messages = SessionState.messages(yield* session.state)
      assert.deepStrictEqual(
        messages.map((message) => message.text),
        ["go", "one two"]
      )
    })
  )

  it.scoped("makes room for the next prompt when its caller and its connection are gone", () =>
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

  it.scoped("awaitIdle fails with the error of its status call and waits for a broken channel", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
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
})
