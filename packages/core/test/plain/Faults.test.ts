import { assert, describe, it } from "@effect/vitest"
import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask, type TaskId } from "@heddle/core/domain/Task"
import type { FaultRule } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as PlainClient from "./PlainClient.ts"

type Fault = FaultRule["effect"]

/** Everything that can happen to an answer on its way. */
const losses: ReadonlyArray<Fault> = [
  "reset",
  "hang",
  ...[500, 502, 503, 504, 409, 302, 408, 410, 425, 501].map((status) => ({ status }))
]

const nameOf = (fault: Fault): string =>
  typeof fault === "object" && "status" in fault ? String(fault.status) : String(fault)

const keyed = { idempotencyKey: "a key that nobody keeps" }

describe("a write whose answer is lost", () => {
  for (const when of ["after", "before"] as const) {
    for (const effect of losses) {
      it.scopedLive(`${when} the service acted (${nameOf(effect)}) is sent once, and its outcome is unknown`, () =>
        Effect.gen(function* () {
          const { assistant, service, tasks, users } = yield* PlainClient.start()
          // The answers that came say nothing of idempotency keys.
          yield* users.profile
          service.addFault({ method: "POST", path: /tasks$/, when, effect, times: 9 })
          service.addFault({ method: "POST", path: /message$/, when, effect, times: 9 })
          const since = Date.now()
          const task = new NewTask({ prompt: "Do it once", name: "Once" })
          const hurried = CallOptions.with({ timeout: "300 millis" })
          assert.strictEqual((yield* Effect.flip(hurried(tasks.create(task, keyed))))._tag, "OutcomeUnknown")
          assert.strictEqual((yield* Effect.flip(hurried(assistant.sendText("once", keyed))))._tag, "OutcomeUnknown")
          assert.strictEqual(PlainClient.requestsOf(service, "POST", "/tasks"), 1)
          assert.strictEqual(PlainClient.requestsOf(service, "POST", "/localassistant/message"), 1)
          const made = when === "after" ? 1 : 0
          assert.lengthOf(service.tasks(), made)
          assert.lengthOf(service.assistant.messages, made)
          const found = yield* tasks.reconcile({ prompt: task.prompt, name: "Once", since })
          assert.strictEqual(
            Option.getOrUndefined(found.task)?.taskId,
            service.tasks()[0]?.taskId as TaskId | undefined
          )
        })
      )
    }
  }

  for (const status of [400, 401, 402, 403, 404, 405, 412, 413, 415, 422, 429])
    it.scopedLive(`is none after ${status}, with which a service says that it did nothing`, () =>
      Effect.gen(function* () {
        const { assistant, service, tasks } = yield* PlainClient.start()
        const effect = { status }
        service.addFault({ method: "POST", path: /tasks$/, when: "before", effect, times: 9 })
        service.addFault({ method: "POST", path: /message$/, when: "before", effect, times: 9 })
        const once = CallOptions.with({ retry: "none" })
        const created = yield* Effect.flip(once(tasks.create(new NewTask({ prompt: "Do it once" }), keyed)))
        const sent = yield* Effect.flip(once(assistant.sendText("once", keyed)))
        for (const error of [created, sent]) assert.deepInclude({ ...error }, { status })
        assert.notInclude([created._tag, sent._tag], "OutcomeUnknown")
      })
    )

  it.scopedLive("is repeated where the document promises a key: a code is redeemed once", () =>
    Effect.forEach(
      [
        ["sameResult", "success"],
        ["conflict", "AlreadyHandled"]
      ] as const,
      ([repeatedRedemption, result]) =>
        Effect.gen(function* () {
          const { credits, redemptions, service } = yield* PlainClient.start({ repeatedRedemption })
          service.addVoucher({ code: "CODE", credits: 7 })
          service.addFault({ path: /redemptions$/, when: "after", effect: "reset" })
          const ended = yield* Effect.match(redemptions.redeem(Redacted.make("CODE")), {
            onSuccess: ({ status }) => String(status),
            onFailure: ({ _tag }) => String(_tag)
          })
          assert.strictEqual(ended, result)
          assert.strictEqual((yield* credits.quota).total, 1007)
        }),
      { concurrency: "unbounded" }
    )
  )
})

describe("429", () => {
  it.scopedLive("is waited for in every operation, as long as Retry-After says, else a second", () =>
    Effect.gen(function* () {
      const { service, ...first } = yield* PlainClient.start()
      const { taskId } = yield* first.tasks.create(new NewTask({ prompt: "one" }))
      service.addVoucher({ code: "CODE", credits: 7 })
      const operations: ReadonlyArray<
        readonly [method: string, path: string, call: (client: PlainClient.Client) => Effect.Effect<unknown, unknown>]
      > = [
        ["GET", "/user/profile", ({ users }) => users.profile],
        ["POST", "/user/phoneverification", ({ users }) => users.verifyPhone(Redacted.make("13812345678"))],
        ["GET", "/credit", ({ credits }) => credits.quota],
        ["GET", "/localassistant", ({ assistant }) => assistant.status],
        ["POST", "/localassistant/message", ({ assistant }) => assistant.sendText("hi")],
        ["GET", "/localassistant/message", ({ assistant }) => assistant.history()],
        ["POST", "/tasks", ({ tasks }) => tasks.create(new NewTask({ prompt: "two" }))],
        ["GET", "/tasks", ({ tasks }) => tasks.list()],
        ["GET", `/tasks/${taskId}`, ({ tasks }) => tasks.get(taskId)],
        ["POST", "/redemptions", ({ redemptions }) => redemptions.redeem(Redacted.make("CODE"))]
      ]
      const began = service.requests.length
      // Each with a client of its own, because a 429 pauses all calls of its client.
      yield* Effect.forEach(
        operations,
        ([method, path, call], nth) =>
          Effect.gen(function* () {
            const effect = nth % 2 === 0 ? { status: 429, retryAfterSeconds: 2 } : { status: 429 }
            service.addFault({ method, path: new RegExp(`/v2${path}$`), when: "before", effect })
            yield* call(yield* PlainClient.client(service))
          }),
        { concurrency: "unbounded" }
      )
      for (const [nth, [method, path]] of operations.entries()) {
        const seen = service.requests
          .slice(began)
          .filter((each) => each.method === method && each.path === `/openapi/v2${path}`)
        assert.deepStrictEqual(
          seen.map(({ status }) => status < 300),
          [false, true],
          `${method} ${path}`
        )
        assert.isAtLeast(seen[1]!.at - seen[0]!.at, nth % 2 === 0 ? 1_990 : 990)
      }
      assert.lengthOf(service.tasks(), 2)
      assert.lengthOf(service.assistant.messages, 1)
    })
  )
})
