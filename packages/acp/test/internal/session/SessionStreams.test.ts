import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { openSession, watch } from "../../fixtures/Peer.ts"
import { says, text } from "../../fixtures/Session.ts"

describe("the stream of a turn", () => {
  it.scoped("gives the events of the turn and then its end", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
      const reading = yield* Effect.fork(Stream.runCollect(session.turn(text("go"))))
      const { id } = yield* agent.received("session/prompt")
      agent.update(says("half"))
      yield* TestClock.adjust("1 second")
      agent.push(JsonRpc.notification("_vendor.ai/later", {}))
      agent.update(says(" and whole"))
      agent.reply(id, { stopReason: "max_tokens" })
      const events = [...(yield* Fiber.join(reading))]
      assert.deepStrictEqual(events.at(-1), { _tag: "Ended", end: { stopReason: "max_tokens" } })
      assert.deepStrictEqual([...new Set(events.map(({ _tag }) => _tag))], ["StateChanged", "Unknown", "Ended"])
      const texts = events.flatMap((event) =>
        event._tag === "StateChanged" ? [SessionState.messages(event.state, "agent")[0]?.text] : []
      )
      assert.strictEqual(texts[0], undefined)
      assert.include(texts, "half")
      assert.strictEqual(texts.at(-1), "half and whole")
    })
  )

  it.scoped("fails like the prompt, and leaves the turn running when it is ended early", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
      const image = { type: "image" as const, data: "", mimeType: "image/png" }
      const error = yield* Effect.flip(Stream.runDrain(session.turn([image])))
      assert.strictEqual(error._tag, "UnsupportedContent")
      const sent = Effect.map(agent.received("session/prompt"), () => undefined)
      yield* session.turn(text("go")).pipe(
        Stream.takeUntilEffect(() => Effect.as(sent, true)),
        Stream.runDrain
      )
      assert.isTrue((yield* session.state).running)
      agent.reply((yield* agent.received("session/prompt")).id, { stopReason: "end_turn" })
      assert.isFalse((yield* session.state).running)
    })
  )
})

describe("changes", () => {
  it.scoped("keep a bounded number of events and the newest state for a slow reader", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* openSession()
      const { events, until } = yield* watch(session)
      const before = events.length
      // All in one go, so that the reader does not come in between.
      for (let n = 0; n < 5_000; n++) {
        agent.push(JsonRpc.notification("_vendor.ai/later", { n }))
        agent.update(says("x"))
      }
      const { count } = yield* until("EventsDropped")
      const got = events.slice(before).flatMap((event) => (event._tag === "Unknown" ? [event.params] : []))
      assert.strictEqual(count + got.length, 5_000)
      assert.isBelow(got.length, 1_000)
      assert.deepStrictEqual(got.at(-1), { n: 4_999 })
      assert.strictEqual(SessionState.messages(yield* session.state, "agent")[0]?.text.length, 5_000)
    })
  )
})
