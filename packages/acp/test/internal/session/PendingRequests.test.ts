import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Permission from "@heddle/acp/Permission"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { open, permission, resultOf } from "../../fixtures/Requests.ts"
import { text } from "../../fixtures/Session.ts"

const asking = {
  sessionId: "s1",
  toolCallId: "call-2",
  inputType: "question",
  schema: { questions: [{ id: "q_0", question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] }] }
}
const form = {
  sessionId: "s1",
  mode: "form",
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", title: "Name", maxLength: 5 }, age: { type: "integer", minimum: 0 } },
    required: ["name"]
  }
}

describe("a request of the agent to a person", () => {
  it.scoped("has one type in all wire forms and is answered in its own form", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      const { params } = yield* agent.received("initialize")
      assert.deepStrictEqual(params.clientCapabilities, {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
        elicitation: { form: {} },
        _meta: { "vendor.ai": { question: true } }
      })
      const { schema } = asking
      const toolCall = { toolCallId: "call-3", rawInput: schema }
      agent.ask(0, "session/request_permission", permission)
      agent.ask("a", "session/request_permission", { ...permission, toolCall })
      agent.ask("b", "_vendor.ai/question", asking)
      agent.ask("c", "elicitation/create", form)
      yield* until("PermissionRequested", 4)
      const { permissions } = yield* session.state
      assert.deepStrictEqual(
        permissions.map((each) => [each.form, each.toolCall?.toolCallId, each.message, each.questions.length]),
        [
          ["permission", "call-1", undefined, 0],
          ["permission", "call-3", undefined, 1],
          ["question", "call-2", undefined, 1],
          ["elicitation", undefined, "Who are you?", 2]
        ]
      )
      const answers = [
        Permission.selected("yes"),
        Permission.answered({ q_0: "Red" }),
        Permission.answered({ q_0: "Red" }),
        Permission.answered({ name: "Ada", age: "36", odd: "left out" })
      ]
      yield* Effect.forEach(permissions, ({ requestId }, n) => session.answerPermission(requestId, answers[n]!))
      assert.deepStrictEqual(resultOf(yield* agent.answered(0)), {
        outcome: { outcome: "selected", optionId: "yes" }
      })
      assert.deepStrictEqual(resultOf(yield* agent.answered("a")), {
        outcome: { outcome: "selected", optionId: "yes", answers: { q_0: "Red" } },
        _meta: { answers: { q_0: "Red" } }
      })
      assert.deepStrictEqual(resultOf(yield* agent.answered("b")), {
        outcome: { outcome: "submitted", data: { answers: { q_0: "Red" } } }
      })
      assert.deepStrictEqual(resultOf(yield* agent.answered("c")), {
        action: "accept",
        content: { name: "Ada", age: 36 }
      })
      assert.deepStrictEqual((yield* session.state).permissions, [])
      yield* until("PermissionAnswered", 4)
    })
  )

  it.scoped("is refused in forms that are not offered to the agent", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* open({ questions: false })
      const { params } = yield* agent.received("initialize")
      assert.doesNotHaveAnyKeys(params.clientCapabilities, ["elicitation", "_meta"])
      agent.ask(1, "elicitation/create", form)
      agent.ask(2, "_vendor.ai/question", asking)
      agent.ask(3, "terminal/create", { sessionId: "s1", command: "rm" })
      for (const id of [1, 2, 3]) assert.strictEqual(resultOf(yield* agent.answered(id)), -32601)
      const { agent: showing } = yield* open()
      showing.ask(4, "elicitation/create", { ...form, mode: "url", url: "https://example.org", elicitationId: "e" })
      showing.ask(5, "session/request_permission", { sessionId: "s1", options: [] })
      for (const id of [4, 5]) assert.strictEqual(resultOf(yield* showing.answered(id)), -32602)
      assert.deepStrictEqual((yield* session.state).permissions, [])
    })
  )

  it.scoped("is refused, not cancelled, at its deadline", () =>
    Effect.gen(function* () {
      const { agent, events, session, until } = yield* open()
      agent.ask(0, "session/request_permission", permission)
      agent.ask(1, "session/request_permission", { ...permission, options: [permission.options[0]] })
      agent.ask(2, "_vendor.ai/question", asking)
      agent.ask(3, "elicitation/create", form)
      const never = { optionId: "never", name: "Always reject", kind: "reject_always" }
      agent.ask(4, "session/request_permission", { ...permission, options: [never, ...permission.options] })
      const asked = yield* until("PermissionRequested")
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual((yield* session.state).permissions.length, 5)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(resultOf(yield* agent.answered(0)), { outcome: { outcome: "selected", optionId: "no" } })
      assert.deepStrictEqual(resultOf(yield* agent.answered(1)), { outcome: { outcome: "cancelled" } })
      assert.deepStrictEqual(resultOf(yield* agent.answered(2)), {
        outcome: { outcome: "cancelled", reason: "timeout" }
      })
      assert.deepStrictEqual(resultOf(yield* agent.answered(3)), { action: "cancel" })
      assert.deepStrictEqual(resultOf(yield* agent.answered(4)), { outcome: { outcome: "selected", optionId: "no" } })
      yield* until("PermissionWithdrawn", 5)
      const reasons = events.flatMap((event) => (event._tag === "PermissionWithdrawn" ? [event.reason] : []))
      assert.deepStrictEqual(reasons, Array(5).fill("expired"))
      const late = yield* Effect.flip(session.answerPermission(asked.permission.requestId, Permission.selected("yes")))
      assert.strictEqual(late._tag, "AlreadyAnswered")
    })
  )

  it.scoped("stays open after an invalid answer", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.ask(0, "session/request_permission", permission)
      agent.ask(1, "elicitation/create", form)
      yield* until("PermissionRequested", 2)
      const [tool, fields] = (yield* session.state).permissions
      const wrong = [
        [tool, Permission.selected("maybe")],
        [tool, Permission.answered({})],
        [fields, Permission.selected("yes")],
        [fields, Permission.answered({ age: 3 })],
        [fields, Permission.answered({ name: "far too long" })],
        [fields, Permission.answered({ name: "Ada", age: "old" })]
      ] as const
      for (const [request, answer] of wrong) {
        const error = yield* Effect.flip(session.answerPermission(request!.requestId, answer))
        assert.strictEqual(error._tag, "InvalidChoice")
      }
      assert.strictEqual((yield* session.state).permissions.length, 2)
      yield* session.answerPermission(tool!.requestId, Permission.declined)
      yield* session.answerPermission(fields!.requestId, Permission.declined)
      assert.deepStrictEqual(resultOf(yield* agent.answered(0)), { outcome: { outcome: "selected", optionId: "no" } })
      assert.deepStrictEqual(resultOf(yield* agent.answered(1)), { action: "decline" })
    })
  )

  it.scoped("is cancelled by the agent, confirmed once, and not after its answer", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.ask(0, "session/request_permission", permission)
      yield* until("PermissionRequested")
      agent.push(JsonRpc.notification("$/cancel_request", { requestId: 0 }))
      assert.strictEqual(resultOf(yield* agent.answered(0)), -32800)
      assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "agent")
      agent.ask(1, "session/request_permission", permission)
      const { permission: second } = yield* until("PermissionRequested", 2)
      yield* session.answerPermission(second.requestId, Permission.selected("yes"))
      yield* agent.answered(1)
      agent.push(JsonRpc.notification("$/cancel_request", { requestId: 1 }))
      agent.push(JsonRpc.notification("$/cancel_request", { requestId: "never asked" }))
      yield* Effect.yieldNow()
      assert.strictEqual(agent.sent.filter((message) => JsonRpc.isResponse(message)).length, 2)
    })
  )

  it.scoped("is asked once under one id; the same content under another id is another request", () =>
    Effect.gen(function* () {
      const { agent, session, tags, until } = yield* open()
      agent.ask(7, "session/request_permission", permission)
      agent.ask(7, "session/request_permission", permission)
      agent.ask(8, "session/request_permission", permission)
      agent.ask(9, "session/request_permission", { ...permission, toolCall: { toolCallId: "call-1", title: "Delete" } })
      yield* until("PermissionRequested", 3)
      const [first, second, other] = (yield* session.state).permissions
      assert.strictEqual(other?.toolCall?.title, "Delete")
      yield* session.answerPermission(first!.requestId, Permission.selected("yes"))
      assert.deepStrictEqual(resultOf(yield* agent.answered(7)), { outcome: { outcome: "selected", optionId: "yes" } })
      assert.deepStrictEqual((yield* session.state).permissions, [second!, other!])
      yield* session.answerPermission(second!.requestId, Permission.selected("no"))
      assert.deepStrictEqual(resultOf(yield* agent.answered(8)), { outcome: { outcome: "selected", optionId: "no" } })
      assert.strictEqual(agent.sent.filter((message) => JsonRpc.isResponse(message)).length, 2)
      assert.deepStrictEqual(
        tags().filter((tag) => tag === "PermissionRequested"),
        ["PermissionRequested", "PermissionRequested", "PermissionRequested"]
      )
    })
  )

  it.scoped("is withdrawn at the end of its turn", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      const turn = yield* Effect.fork(session.prompt(text("go")))
      const { id } = yield* agent.received("session/prompt")
      agent.ask(0, "session/request_permission", permission)
      yield* until("PermissionRequested")
      agent.reply(id, { stopReason: "end_turn" })
      yield* Fiber.join(turn)
      assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "turn")
      assert.deepStrictEqual(resultOf(yield* agent.answered(0)), { outcome: { outcome: "cancelled" } })
    })
  )

  it.scoped("is in the state for later readers, also from another session", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.ask(0, "session/request_permission", { ...permission, sessionId: "sub-agent" })
      yield* until("PermissionRequested")
      const [now] = yield* session.changes.pipe(Stream.take(1), Stream.runCollect)
      assert.strictEqual(now?._tag, "StateChanged")
      const [request] = now?._tag === "StateChanged" ? now.state.permissions : []
      assert.strictEqual(request?.sessionId, "sub-agent")
      assert.deepStrictEqual((yield* session.state).entries, [])
      yield* session.answerPermission(request!.requestId, Permission.selected("always"))
      yield* agent.answered(0)
    })
  )
})
