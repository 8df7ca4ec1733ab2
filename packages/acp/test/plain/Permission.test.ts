import * as Permission from "@heddle/acp/Permission"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as SseTransport from "@heddle/acp/SseTransport"
import { watch } from "../fixtures/Peer.ts"
import { text } from "../fixtures/Session.ts"
import { plainTask } from "./PlainTask.ts"

/** A session in which the agent has sent a permission request. */
const asked = Effect.fnUntraced(function* (
  options: PlainServiceOptions = {},
  transport: Partial<SseTransport.Options> = {},
  meta: () => Readonly<Record<string, unknown>> = () => ({})
) {
  const answers: Array<string> = []
  const task = yield* plainTask({
    script: async ({ ask, text: prompt }) => {
      if (prompt === "ask") answers.push(await ask({ title: "Write?", _meta: meta() }))
      return { stopReason: "end_turn" }
    },
    ...options
  })
  const session = yield* task.open(transport)
  const events = yield* watch(session)
  const turn = yield* Effect.fork(session.prompt(text("ask")))
  const { permission } = yield* events.until("PermissionRequested")
  const answer = session.answerPermission(permission.requestId, Permission.selected("allow"))
  return { ...task, ...events, session, turn, permission, answer, answers }
})

describe.concurrent("a permission that the service waits for", () => {
  for (const requestIds of ["numbers", "strings"] as const)
    it.scopedLive(`is answered on its own connection (ids ${requestIds})`, () =>
      Effect.gen(function* () {
        const { answer, answers, service, turn } = yield* asked({ requestIds })
        yield* answer
        assert.deepStrictEqual(
          service.answers.map(({ accepted }) => accepted),
          [true]
        )
        yield* Fiber.join(turn)
        assert.deepStrictEqual(answers, ["allow"])
      })
    )

  it.scopedLive("waits for as long as the person takes: silence alone ends no stream", () =>
    Effect.gen(function* () {
      const { answer, answers, statuses, tags, turn } = yield* asked({}, { silence: "150 millis" })
      yield* Effect.sleep("800 millis")
      yield* answer
      yield* Fiber.join(turn)
      assert.deepStrictEqual(answers, ["allow"])
      assert.deepStrictEqual(statuses("GET"), [200])
      assert.notInclude(tags(), "Interrupted")
    })
  )

  it.scopedLive("cannot be answered once its connection is gone", () =>
    Effect.gen(function* () {
      const { answer, answers, service, until } = yield* asked()
      service.cutStreams()
      assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "connection")
      assert.strictEqual((yield* Effect.flip(answer))._tag, "AlreadyAnswered")
      yield* until("Ready")
      assert.deepStrictEqual([service.answers.length, answers], [0, []])
    })
  )

  it.scopedLive("tells the person that an answer was lost with its connection", () =>
    Effect.gen(function* () {
      const { answer, service, session, until } = yield* asked()
      service.addFault({ rpcMethod: "response", when: "before", effect: "hang" })
      const given = yield* Effect.fork(Effect.flip(answer))
      while ((yield* session.state).permissions.length > 0) yield* Effect.sleep("5 millis")
      service.cutStreams()
      const error = yield* Fiber.join(given)
      assert.deepInclude(error, { _tag: "AnswerNotDelivered", reason: "connection" })
      assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "connection")
      assert.deepStrictEqual(service.answers, [])
    })
  )

  it.scopedLive("is asked anew after a lost answer when the service asks again without a mark", () =>
    Effect.gen(function* () {
      const { answer, answers, service, session, until } = yield* asked({ pendingRequests: "askedAgain" })
      service.addFault({ rpcMethod: "response", when: "before", effect: "hang" })
      const given = yield* Effect.fork(Effect.flip(answer))
      while ((yield* session.state).permissions.length > 0) yield* Effect.sleep("5 millis")
      service.cutStreams()
      assert.deepInclude(yield* Fiber.join(given), { _tag: "AnswerNotDelivered", reason: "connection" })
      const { permission: again } = yield* until("PermissionRequested", 2)
      assert.deepStrictEqual(answers, [])
      yield* session.answerPermission(again.requestId, Permission.selected("reject"))
      while (answers.length === 0) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(answers, ["reject"])
      assert.deepStrictEqual(
        service.answers.map(({ accepted }) => accepted),
        [true]
      )
    })
  )

  it.scopedLive("says that the service refuses the answer", () =>
    Effect.gen(function* () {
      const { answer, service } = yield* asked()
      service.addFault({ rpcMethod: "response", when: "before", effect: { status: 403 } })
      assert.deepInclude(yield* Effect.flip(answer), { _tag: "AnswerNotDelivered", reason: "refused" })
    })
  )

  for (const effect of [{ status: 429, retryAfterSeconds: 1 }, { status: 503 }, "reset"] as const)
    for (const when of ["before", "after"] as const)
      it.scopedLive(`is answered although the POST fails at first (${JSON.stringify(effect)} ${when} acting)`, () =>
        Effect.gen(function* () {
          const { answer, answers, service, turn } = yield* asked()
          service.addFault({ rpcMethod: "response", when, effect })
          yield* answer
          yield* Fiber.join(turn)
          assert.deepStrictEqual(answers, ["allow"])
          assert.strictEqual(service.answers.filter(({ accepted }) => accepted).length, 1)
        })
      )

  for (const [name, meta] of [
    ["a time limit", () => ({ timeoutMs: 400 })],
    ["a time limit of a vendor", () => ({ "vendor.ai/timeout_ms": "400" })],
    ["an instant", () => ({ expiresAt: new Date(Date.now() + 1000).toISOString() })]
  ] as const)
    it.scopedLive(`is refused at the deadline that the service tells as ${name}`, () =>
      Effect.gen(function* () {
        const { answers, permission, turn, until } = yield* asked({}, {}, meta)
        assert.isAtMost(permission.expiresAt ?? Infinity, Date.now() + 1000)
        assert.strictEqual((yield* until("PermissionWithdrawn")).reason, "expired")
        yield* Fiber.join(turn)
        assert.deepStrictEqual(answers, ["reject"])
      })
    )
})
