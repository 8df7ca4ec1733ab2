import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Permission from "@heddle/acp/Permission"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { marked, open, permission, resultOf } from "../../fixtures/Requests.ts"

describe("a request of the agent whose connection breaks", () => {
  it.scoped("is withdrawn with its connection, and repeated on the next one", () =>
    Effect.gen(function* () {
      const { agent, events, session, until } = yield* open()
      agent.ask(0, "session/request_permission", permission)
      const { permission: old } = yield* until("PermissionRequested")
      agent.interrupt()
      agent.connect(true)
      assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "connection")
      agent.ask(5, "session/request_permission", permission)
      const { permission: fresh } = yield* until("PermissionRequested", 2)
      assert.deepStrictEqual((yield* session.state).permissions, [fresh])
      const error = yield* Effect.flip(session.answerPermission(old.requestId, Permission.selected("yes")))
      assert.strictEqual(error._tag, "AlreadyAnswered")
      yield* session.answerPermission(fresh.requestId, Permission.selected("yes"))
      yield* agent.answered(5)
      assert.deepStrictEqual(
        agent.sent.flatMap((message) => (JsonRpc.isResponse(message) ? [message.id] : [])),
        [5]
      )
      assert.strictEqual(events.filter(({ _tag }) => _tag === "PermissionWithdrawn").length, 1)
    })
  )

  it.scoped("is answered once although the channel breaks during the answer", () =>
    Effect.gen(function* () {
      const { agent, session, tags, until } = yield* open()
      const answer = (nth: number) =>
        Effect.flatMap(until("PermissionRequested", nth), (event) =>
          Effect.fork(session.answerPermission(event.permission.requestId, Permission.selected("yes")))
        )
      // Taken up where it was: the answer goes out later.
      agent.ask(0, "session/request_permission", permission)
      yield* until("PermissionRequested")
      agent.interrupt()
      const late = yield* answer(1)
      yield* TestClock.adjust("1 second")
      agent.connect(false)
      yield* TestClock.adjust("10 seconds")
      yield* agent.answered(0)
      yield* Fiber.join(late)
      // A new connection: the agent asks again, the person is not.
      const again = marked("r", { ...permission, toolCall: { toolCallId: "call-9" } })
      agent.ask(1, "session/request_permission", again)
      yield* until("PermissionRequested", 2)
      agent.interrupt()
      const lost = yield* answer(2)
      yield* Effect.yieldNow()
      agent.connect(true)
      agent.ask(4, "session/request_permission", again)
      assert.deepStrictEqual(resultOf(yield* agent.answered(4)), { outcome: { outcome: "selected", optionId: "yes" } })
      yield* Fiber.join(lost)
      yield* TestClock.adjust("1 minute")
      const ids = agent.sent.flatMap((message) => (JsonRpc.isResponse(message) ? [message.id] : []))
      assert.deepStrictEqual(ids, [0, 4])
      assert.strictEqual(tags().filter((tag) => tag === "PermissionRequested").length, 2)
      // Once it has arrived, the same question is a new one.
      agent.ask(6, "session/request_permission", again)
      yield* until("PermissionRequested", 3)
    })
  )

  it.scoped.each([
    ["the caller decides anew", marked("r"), false],
    ["nothing marks it as the same", permission, true]
  ] as const)("is published again without its lost answer where %s", ([, params, repeatAnswers]) =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open({ repeatAnswers })
      agent.ask(0, "session/request_permission", params)
      const { permission: first } = yield* until("PermissionRequested")
      agent.interrupt()
      const given = yield* Effect.fork(
        Effect.flip(session.answerPermission(first.requestId, Permission.selected("yes")))
      )
      yield* Effect.yieldNow()
      agent.connect(true)
      assert.deepInclude(yield* until("PermissionWithdrawn"), { permission: first, reason: "connection" })
      assert.deepInclude(yield* Fiber.join(given), { _tag: "AnswerNotDelivered", reason: "connection" })
      agent.ask(5, "session/request_permission", params)
      const { permission: repeated } = yield* until("PermissionRequested", 2)
      yield* session.answerPermission(repeated.requestId, Permission.selected("no"))
      assert.deepStrictEqual(resultOf(yield* agent.answered(5)), { outcome: { outcome: "selected", optionId: "no" } })
      assert.deepStrictEqual(
        agent.sent.flatMap((message) => (JsonRpc.isResponse(message) ? [message.id] : [])),
        [5]
      )
    })
  )

  it.scoped("gets the lost answer once on a new connection, even if several requests are the same", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      for (const id of [0, 1]) agent.ask(id, "session/request_permission", marked(`r${id}`))
      yield* until("PermissionRequested", 2)
      agent.interrupt()
      const [first] = (yield* session.state).permissions
      const given = yield* Effect.fork(session.answerPermission(first!.requestId, Permission.selected("yes")))
      yield* Effect.yieldNow()
      agent.connect(true)
      agent.ask(5, "session/request_permission", marked("r1"))
      agent.ask(6, "session/request_permission", marked("r0"))
      yield* until("PermissionRequested", 3)
      assert.deepStrictEqual(resultOf(yield* agent.answered(6)), { outcome: { outcome: "selected", optionId: "yes" } })
      assert.strictEqual((yield* session.state).permissions.length, 1)
      assert.strictEqual((yield* until("PermissionAnswered")).permission, first)
      yield* Fiber.join(given)
    })
  )

  it.scoped("is a new request where its mark comes with something else to allow", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.ask(0, "session/request_permission", marked("r"))
      const { permission: first } = yield* until("PermissionRequested")
      agent.interrupt()
      yield* Effect.fork(session.answerPermission(first.requestId, Permission.selected("yes")))
      yield* Effect.yieldNow()
      agent.connect(true)
      agent.ask(5, "session/request_permission", marked("r", { ...permission, toolCall: { toolCallId: "rm" } }))
      const { permission: other } = yield* until("PermissionRequested", 2)
      assert.deepStrictEqual((yield* session.state).permissions, [other])
    })
  )

  it.scoped("is a new request after the time for repeats on a new connection", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.ask(0, "session/request_permission", marked("r"))
      const { permission: first } = yield* until("PermissionRequested")
      agent.interrupt()
      const given = yield* Effect.fork(
        Effect.flip(session.answerPermission(first.requestId, Permission.selected("yes")))
      )
      yield* Effect.yieldNow()
      agent.connect(true)
      yield* until("Ready")
      yield* TestClock.adjust("11 seconds")
      assert.deepInclude(yield* Fiber.join(given), { _tag: "AnswerNotDelivered", reason: "connection" })
      agent.ask(1, "session/request_permission", marked("r"))
      yield* until("PermissionRequested", 2)
    })
  )

  it.scoped("is a new request on the same connection, even before the answer to an equal one was taken", () =>
    Effect.gen(function* () {
      const { agent, session, until } = yield* open()
      agent.hold = true
      agent.ask("q1", "session/request_permission", permission)
      const { permission: first } = yield* until("PermissionRequested")
      yield* Effect.fork(session.answerPermission(first.requestId, Permission.selected("yes")))
      yield* Effect.yieldNow()
      agent.ask("q2", "session/request_permission", permission)
      const { permission: second } = yield* until("PermissionRequested", 2)
      assert.deepStrictEqual((yield* session.state).permissions, [second])
      // The first one once more, its answer being under way.
      agent.ask("q1", "session/request_permission", permission)
      yield* Effect.fork(session.answerPermission(second.requestId, Permission.selected("no")))
      yield* Effect.yieldNow()
      agent.hold = false
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(resultOf(yield* agent.answered("q1")), {
        outcome: { outcome: "selected", optionId: "yes" }
      })
      assert.deepStrictEqual(resultOf(yield* agent.answered("q2")), {
        outcome: { outcome: "selected", optionId: "no" }
      })
      assert.strictEqual(agent.sent.filter((message) => JsonRpc.isResponse(message)).length, 2)
    })
  )
})
