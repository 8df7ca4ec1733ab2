import { assert, describe, it } from "@effect/vitest"
import { PermissionResponse, textOf } from "@heddle/core/domain/AssistantMessage"
import { NewTask } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as PlainClient from "./PlainClient.ts"

const unauthorized = ["empty", "invalid_token", "Unauthorized", "envelope", "text"] as const

describe("at a service that knows the document alone", () => {
  it.scopedLive("profile, phone number and credit are read", () =>
    Effect.gen(function* () {
      const { credits, users } = yield* PlainClient.start({ phoneNumber: "+8613812345678", avatar: "" })
      assert.deepInclude({ ...(yield* users.profile) }, { nickname: "ada" })
      assert.isTrue(yield* users.verifyPhone(Redacted.make("138 1234 5678")))
      assert.isFalse(yield* users.verifyPhone(Redacted.make("+85212345678")))
      assert.deepStrictEqual({ ...(yield* credits.quota) }, { total: 1000, used: 250 })
    })
  )

  it.scopedLive("there is no choice of agents, and a task tells none", () =>
    Effect.gen(function* () {
      const { tasks } = yield* PlainClient.start()
      assert.deepStrictEqual(yield* tasks.agents, [])
      assert.isUndefined((yield* tasks.create(new NewTask({ prompt: "one", agent: "codex" }))).agent)
    })
  )

  it.scopedLive("a refused token is renewed once in every operation, whatever the body of the refusal", () =>
    Effect.gen(function* () {
      const { service, ...client } = yield* PlainClient.start()
      const { assistant, credits, redemptions, tasks, users } = client
      const { taskId } = yield* tasks.create(new NewTask({ prompt: "one" }))
      const { message_id: messageId } = service.assistant.say("hello")
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        users.profile,
        users.verifyPhone(Redacted.make("13812345678")),
        credits.quota,
        assistant.status,
        assistant.sendText("hi"),
        assistant.history(),
        Stream.runHead(assistant.since(messageId as never)),
        tasks.create(new NewTask({ prompt: "two" })),
        tasks.get(taskId),
        tasks.list(),
        Effect.suspend(() => {
          const code = crypto.randomUUID()
          service.addVoucher({ code, credits: 1 })
          return redemptions.redeem(Redacted.make(code))
        })
      ]
      for (const body of unauthorized) {
        service.setReadings({ unauthorized: body })
        for (const [nth, call] of calls.entries()) {
          const before = client.renewals()
          service.revokeTokens("access")
          yield* call
          assert.strictEqual(client.renewals(), before + 1, `${body} ${nth}`)
        }
      }
    })
  )

  it.scopedLive("a user whose renewed token is refused, too, is signed out", () =>
    Effect.gen(function* () {
      const { service, ...client } = yield* PlainClient.start()
      const path = /profile$/
      service.addFault({ path, when: "before", effect: { status: 401, body: { error: "Unauthorized" } }, times: 2 })
      assert.strictEqual((yield* Effect.flip(client.users.profile))._tag, "SignInRequired")
      assert.strictEqual(client.renewals(), 1)
      assert.strictEqual(PlainClient.requestsOf(service, "GET", "/user/profile"), 2)
    })
  )

  for (const taskFields of [[], ["name", "expire_at", "created_at", "updated_at"], ["sandboxLink", "link"]] as const) {
    it.scopedLive(`tasks are created, listed and opened with the optional fields "${taskFields.join(", ")}"`, () =>
      Effect.gen(function* () {
        const { service, tasks } = yield* PlainClient.start({ taskFields, times: "utc" })
        assert.isFalse(yield* tasks.keepsIdempotencyKeys)
        const created = yield* tasks.create(new NewTask({ prompt: "Say hello", name: "Hello" }))
        assert.strictEqual(created.status, "creating")
        const channel = yield* tasks.awaitChannel(created.taskId)
        assert.include(channel.link, service.url)
        const task = yield* tasks.get(created.taskId)
        assert.strictEqual(task.name, taskFields.some((field) => field === "name") ? "Hello" : undefined)
        assert.strictEqual(
          task.expireAt !== undefined,
          taskFields.some((field) => field === "expire_at")
        )
        yield* tasks.create(new NewTask({ prompt: "Another" }))
        const page = yield* tasks.list({ page: 1, size: 1 })
        assert.deepStrictEqual([page.tasks.length, page.total], [1, 2])
        const all = yield* Stream.runCollect(tasks.all)
        assert.lengthOf(all, 2)
        assert.strictEqual((yield* Effect.flip(tasks.get("nothing" as typeof created.taskId)))._tag, "NotFound")
      })
    )
  }

  for (const [assistantVariant, messageContent] of [
    ["A", "blocks"],
    ["B", "strings"]
  ] as const) {
    it.scopedLive(`the local assistant is used in variant ${assistantVariant}, with ${messageContent}`, () =>
      Effect.gen(function* () {
        const { assistant, service } = yield* PlainClient.start({ assistant: assistantVariant, messageContent })
        assert.isTrue((yield* assistant.status).online)
        assert.isFalse(yield* assistant.keepsIdempotencyKeys)
        const sent = yield* assistant.sendText("hello")
        service.assistant.say("hi")
        const replies = yield* assistant.since(sent).pipe(Stream.take(1), Stream.runCollect)
        assert.deepStrictEqual([...replies].map(textOf), ["hi"])
        const { answer, requestId } = service.assistant.ask("Which?", [{ question: "Which?" }])
        const response = new PermissionResponse({ outcome: "selected", requestId, answers: { q_0: "a" } })
        if (assistantVariant === "A") {
          yield* assistant.answerPermission(response)
          assert.deepInclude(yield* Effect.promise(() => answer), { outcome: "selected", answers: { q_0: "a" } })
        } else {
          const error = yield* Effect.flip(assistant.answerPermission(response))
          assert.strictEqual(error._tag, "PermissionResponseUnsupported")
        }
        service.setReadings({ assistantOnline: false })
        assert.strictEqual((yield* Effect.flip(assistant.sendText("late")))._tag, "AssistantOffline")
      })
    )
  }

  it.scopedLive("a page of messages begins with its oldest, in every order of the service", () =>
    Effect.gen(function* () {
      const { assistant, service } = yield* PlainClient.start({ times: "utc" })
      for (const text of ["one", "two", "three"]) {
        const { created_at } = service.assistant.say(text)
        while (Date.now() <= Date.parse(created_at)) yield* Effect.yieldNow()
      }
      for (const [messagePages, expected] of [
        ["oldestFirstInNewestPage", ["two", "three"]],
        ["newestFirst", ["two", "three"]],
        ["oldestFirst", ["one", "two"]]
      ] as const) {
        service.setReadings({ messagePages })
        assert.deepStrictEqual((yield* assistant.history({ limit: 2 })).map(textOf), [...expected], messagePages)
        assert.lengthOf(yield* Stream.runCollect(assistant.all), 3)
      }
    })
  )

  for (const int64 of ["string", "number"] as const) {
    it.scopedLive(`codes and cards are redeemed, with int64 as ${int64}`, () =>
      Effect.gen(function* () {
        const { credits, redemptions, service } = yield* PlainClient.start({ int64 })
        service.addVoucher({ code: "CODE", credits: 7 })
        service.addVoucher({ code: "CARD01", secret: "PASSWORD", credits: 5 })
        const { credits: issued, status } = yield* redemptions.redeem(Redacted.make("CODE"))
        assert.deepStrictEqual([status, issued], ["success", 7])
        const card = { key: Redacted.make("CARD01"), code: Redacted.make("PASSWORD") }
        assert.strictEqual((yield* redemptions.redeemVoucher(card)).credits, 5)
        assert.strictEqual((yield* credits.quota).total, 1012)
        assert.strictEqual((yield* Effect.flip(redemptions.redeem(Redacted.make("CODE"))))._tag, "InvalidGrant")
        assert.strictEqual((yield* Effect.flip(redemptions.redeem(Redacted.make("OTHER"))))._tag, "NotFound")
      })
    )
  }
})
