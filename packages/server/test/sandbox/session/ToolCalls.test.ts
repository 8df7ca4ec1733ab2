import { assert, describe, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Client, saysText } from "../support/client.ts"
import { agent, type Task } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

const told = (update: object) => `update ${JSON.stringify(update)}`
const begin = (toolCallId: string) =>
  told({ sessionUpdate: "tool_call", toolCallId, title: `Call ${toolCallId}`, status: "in_progress" })
const done = (toolCallId: string) =>
  told({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", title: "Done" })
const retitled = (toolCallId: string) => told({ sessionUpdate: "tool_call_update", toolCallId, title: "Renamed" })

describe("unfinished tool calls of a turn", () => {
  const serve = serviceOfTest()

  const session = (task: Task) =>
    Effect.gen(function* () {
      const ticket = yield* Ticket.make(Effect.succeed({ link: task.link, token: Redacted.make(task.token) }))
      return yield* AcpSession.open({ ticket, sessionId: task.taskId })
    })
  const calls = (state: SessionState.SessionState) =>
    SessionState.toolCalls(state).map(({ toolCallId, status }) => `${toolCallId} ${status}`)

  /** What a client sees that comes now. */
  const late = (task: Task) =>
    session(task).pipe(
      Effect.flatMap(({ state }) => state),
      Effect.map(calls),
      Effect.scoped,
      Effect.runPromise
    )

  it("are cancelled with it, for connected and later clients", async () => {
    const { task } = await serve({})
    const channel = await task()
    const said = (text: string) => (state: SessionState.SessionState) =>
      SessionState.messages(state, "agent").some((message) => message.text.includes(text))
    const live = await Effect.gen(function* () {
      const mine = yield* session(channel)
      const other = yield* session(channel)
      const until = (is: (state: SessionState.SessionState) => boolean) =>
        mine.changes.pipe(
          Stream.filter((event) => event._tag === "StateChanged" && is(event.state)),
          Stream.runHead
        )
      // What the agent left open when it said that it was finished may still be worked on.
      yield* mine.prompt([{ type: "text", text: begin("early") }])
      assert.deepStrictEqual(calls(yield* mine.state), ["early in_progress"])
      const script = [begin("one"), begin("two"), done("two"), retitled("two"), "count 1000 5"]
      const turn = yield* Effect.fork(mine.prompt([{ type: "text", text: script.join("\n") }]))
      yield* until(said("3 "))
      yield* mine.cancel
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "cancelled")
      yield* other.awaitIdle(Effect.succeed(false))
      return { mine: calls(yield* mine.state), other: calls(yield* other.state) }
    }).pipe(Effect.scoped, Effect.runPromise)
    const expected = ["early cancelled", "one cancelled", "two completed"]
    assert.deepStrictEqual(live, { mine: expected, other: expected })
    assert.deepStrictEqual(await late(channel), expected)
    const plain = await Client.loaded(channel)
    const words = plain.messages.flatMap(({ params }) =>
      params?.update?.toolCallId === "one" ? [params.update.status] : []
    )
    assert.deepStrictEqual(words, ["in_progress", "failed", "cancelled"], "a word of the first version comes first")
  })

  it("fail with it, also when the service stops during the turn", async () => {
    const started = await serve({})
    const task = await started.task()
    const client = await Client.loaded(task)
    await client.prompt([begin("crashed"), "die"].join("\n"))
    assert.deepStrictEqual(await late(task), ["crashed failed"])

    await client.askPrompt([begin("interrupted"), done("other"), "echo begun", "hang"].join("\n"))
    await client.message(saysText("begun"))
    await started.stop()
    const again = await serve({ dataDir: started.dataDir, agentCommand: agent() })
    assert.deepStrictEqual(await late(await again.reopen(task.taskId)), [
      "crashed failed",
      "interrupted failed",
      "other completed"
    ])
  })
})
