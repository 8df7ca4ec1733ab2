import { assert, describe, it } from "@effect/vitest"
import * as Assistant from "@heddle/core/Assistant"
import { AssistantMessage, MessageId, PermissionResponse, textOf } from "@heddle/core/domain/AssistantMessage"
import { OpenApiClient } from "@heddle/core/OpenApiClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "./Client.ts"
import * as Service from "./Service.ts"

const ok = (data: unknown) => ({ status: 200, body: { code: 0, msg: "success", request_id: "r", data } })

const refused = (status: number, error: string) => ({
  status,
  body: { error, error_description: `it is ${error}`, request_id: "r-1" }
})

const on = (url: string, options?: Parameters<typeof Client.layer>[1]) =>
  Effect.provide(Assistant.Assistant, Client.layer(url, options))

/** A message of the n-th second. */
const message = (n: number, id = `m${n}`) => ({
  message_id: id,
  role: n % 2 === 0 ? "assistant" : "user",
  content: [`text ${n}`],
  msg_type: "text",
  created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  attachments: [],
  metadata: { msgType: "text" }
})

const answer = new PermissionResponse({ outcome: "selected", requestId: "q-7", answers: { q_0: "a", q_1: ["b", "c"] } })

describe("sending", () => {
  it.live("speaks the contract", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ method, url }) =>
        method === "POST"
          ? ok({ message_id: "m-1" })
          : url === "/openapi/v2/localassistant"
            ? ok({ online: true })
            : ok({
                messages: [
                  {
                    ...message(1),
                    content: [
                      "one",
                      { type: "text", text: "two" },
                      { type: "image" },
                      null,
                      7,
                      ["nested"],
                      { type: "text", content: "three" }
                    ]
                  }
                ]
              })
      )
      const assistant = yield* on(service.url)
      assert.isTrue((yield* assistant.status).online)
      assert.strictEqual(yield* assistant.sendText("Hi"), "m-1")
      assert.strictEqual(yield* assistant.answerPermission(answer, { idempotencyKey: "k" }), "m-1")
      const [first] = yield* assistant.history({ limit: 20, offset: 40 })
      assert.strictEqual(first === undefined ? "" : textOf(first), "one\ntwo\nthree")
      const [, text, permission, history] = service.seen
      assert.deepStrictEqual(JSON.parse(text?.body ?? ""), { content: "Hi", msg_type: "text" })
      assert.isUndefined(text?.headers["idempotency-key"])
      const sent = JSON.parse(permission?.body ?? "")
      assert.strictEqual(sent.msg_type, "permission_response")
      assert.deepStrictEqual(JSON.parse(sent.content), {
        outcome: "selected",
        requestId: "q-7",
        answers: { q_0: "a", q_1: ["b", "c"] }
      })
      assert.strictEqual(permission?.headers["idempotency-key"], "k")
      assert.strictEqual(history?.url, "/openapi/v2/localassistant/message?limit=20&offset=40")
    }).pipe(Effect.scoped)
  )

  it.live("sends outcome and answers of a questionnaire as they were given (contract decision 62)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ok({ message_id: "m-1" }))
      const assistant = yield* on(service.url)
      const given = [
        { outcome: "selected", requestId: "q-7", answers: { q_1: ["not among the options"] } },
        { outcome: "cancelled", requestId: "q-8", answers: {} },
        { outcome: "postponed", requestId: "q-9", answers: { q_0: "later" } }
      ]
      for (const each of given) yield* assistant.answerPermission(new PermissionResponse(each))
      assert.deepStrictEqual(
        service.seen.map(({ body }) => JSON.parse(JSON.parse(body).content)),
        given
      )
    }).pipe(Effect.scoped)
  )

  it.live("sends content as text and reads a list; msg_type wins over the metadata (contract decisions 66, 67)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ method }) =>
        method === "POST"
          ? ok({ message_id: "m-1" })
          : ok({ messages: [{ ...message(1), content: ["Hi"], msg_type: "hologram", metadata: { msgType: "text" } }] })
      )
      const assistant = yield* on(service.url)
      yield* assistant.sendText("Hi")
      const [read] = yield* assistant.history()
      assert.strictEqual(JSON.parse(service.seen[0]?.body ?? "").content, "Hi")
      assert.deepStrictEqual(read?.content, ["Hi"])
      assert.strictEqual(read?.msgType, "hologram")
    }).pipe(Effect.scoped)
  )

  it.live("repeats a lost message only with an idempotency key that the service keeps", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) =>
        nth <= 3 ? (response) => response.destroy() : ok({ message_id: "m-1" })
      )
      const keyed = { idempotencyKey: "k" }
      const assistant = yield* on(service.url, { idempotencyKeys: true })
      assert.strictEqual((yield* Effect.flip(assistant.sendText("Hi")))._tag, "OutcomeUnknown")
      const unsure = yield* on(service.url)
      assert.strictEqual((yield* Effect.flip(unsure.sendText("Hi", keyed)))._tag, "OutcomeUnknown")
      assert.lengthOf(service.seen, 2)
      assert.strictEqual(yield* assistant.sendText("Hi", keyed), "m-1")
      assert.lengthOf(service.seen, 4)
    }).pipe(Effect.scoped)
  )

  it.live("says that the assistant is offline where the service does, and only there (contract decision 63)", () =>
    Effect.gen(function* () {
      for (const [status, online, tag] of [
        [404, false, "AssistantOffline"],
        [502, false, "AssistantOffline"],
        [503, false, "AssistantOffline"],
        [404, true, "NotFound"],
        [502, true, "OutcomeUnknown"],
        [503, true, "OutcomeUnknown"],
        [403, false, undefined]
      ] as const) {
        const service = yield* Service.make(({ method }) =>
          method === "POST" ? refused(status, status === 403 ? "access_denied" : "not_found") : ok({ online })
        )
        const error = yield* Effect.flip((yield* on(service.url)).sendText("Hi"))
        if (tag === undefined) assert.lengthOf(service.seen, 1)
        else assert.deepInclude({ ...error }, { _tag: tag, requestId: "r-1" })
        if (error._tag === "AssistantOffline") assert.strictEqual(error.status, status)
      }
    }).pipe(Effect.scoped)
  )

  it.live("keeps the refusal when the status of the assistant is refused, too", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ method }) =>
        method === "POST" ? refused(404, "not_found") : refused(403, "insufficient_scope")
      )
      assert.strictEqual((yield* Effect.flip((yield* on(service.url)).sendText("Hi")))._tag, "NotFound")
    }).pipe(Effect.scoped)
  )
})

describe("answerPermission", () => {
  it.live("learns with one request that a service takes no answers (contract decision 60)", () =>
    Effect.gen(function* () {
      for (const status of [400, 403, 422]) {
        const service = yield* Service.make(() => refused(status, "any_word"))
        const assistant = yield* on(service.url)
        for (const _ of [1, 2]) {
          const error = yield* Effect.flip(assistant.answerPermission(answer))
          assert.deepInclude(
            { ...error },
            { _tag: "PermissionResponseUnsupported", status, code: "any_word", requestId: "r-1" }
          )
        }
        assert.lengthOf(service.seen, 1)
        yield* Effect.flip(assistant.sendText("Hi"))
        assert.lengthOf(service.seen, 2)
        yield* Effect.flip((yield* on(service.url)).answerPermission(answer))
        assert.lengthOf(service.seen, 3)
      }
    }).pipe(Effect.scoped)
  )

  it.live("passes on a refusal of a service that takes answers", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) =>
        nth === 1 ? ok({ message_id: "m" }) : refused(400, "invalid_request")
      )
      const learned = yield* on(service.url)
      yield* learned.answerPermission(answer)
      assert.strictEqual((yield* Effect.flip(learned.answerPermission(answer)))._tag, "InvalidRequest")
      const told = yield* on(service.url, { variant: "A" })
      assert.strictEqual((yield* Effect.flip(told.answerPermission(answer)))._tag, "InvalidRequest")
    }).pipe(Effect.scoped)
  )

  it.live("sends nothing to a service that takes no answers", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ok({ message_id: "m" }))
      const assistant = yield* on(service.url, { variant: "B" })
      assert.strictEqual((yield* Effect.flip(assistant.answerPermission(answer)))._tag, "PermissionResponseUnsupported")
      assert.lengthOf(service.seen, 0)
    }).pipe(Effect.scoped)
  )

  it.live("does not mistake a missing scope, an unknown request or an answered one for it", () =>
    Effect.gen(function* () {
      for (const [status, word, tag] of [
        [403, "insufficient_scope", "InsufficientScope"],
        [409, "invalid_request", "Conflict"]
      ] as const) {
        const service = yield* Service.make(() => refused(status, word))
        assert.strictEqual((yield* Effect.flip((yield* on(service.url)).answerPermission(answer)))._tag, tag)
      }
    }).pipe(Effect.scoped)
  )
})

describe("history", () => {
  it.live("keeps its parameters within the document (contract decision 68)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ok({ messages: [] }))
      const assistant = yield* on(service.url)
      for (const limit of [0, -3, 1.9, 101, Infinity, Number.NaN]) yield* assistant.history({ limit, offset: -1 })
      yield* assistant.history()
      assert.deepStrictEqual(
        service.seen.map(({ url }) => url.split("?")[1]),
        [1, 1, 1, 100, 100, 1].map((limit): string | undefined => `limit=${limit}&offset=0`).concat([undefined])
      )
    }).pipe(Effect.scoped)
  )

  it.live("gives a page oldest message first, however the service lists it (contract decision 68)", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 30 }, (_, n) => message(n + 1))
      for (const order of orders) {
        const service = yield* Service.make(({ url }) => page(all, order, queryOf(url)))
        const texts = (yield* (yield* on(service.url)).history()).map(textOf)
        assert.deepStrictEqual(texts, textsFrom(order === "oldest first" ? 1 : 11, 20), order)
      }
      // Of one second, with ids that count.
      const sameSecond = [3, 2, 1].map((n) => ({ ...message(7, String(n)), content: [`text ${n}`] }))
      const service = yield* Service.make(() => ok({ messages: sameSecond }))
      assert.deepStrictEqual((yield* (yield* on(service.url)).history()).map(textOf), textsFrom(1, 3))
    }).pipe(Effect.scoped)
  )

  it.live("streams every message once while messages move between pages, until a page is not full", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 250 }, (_, n) => message(250 - n))
      const service = yield* Service.make(({ url }, nth) => {
        const offset = Number(new URL(url, "http://x").searchParams.get("offset"))
        const now = nth === 1 ? all : [message(252), message(251), ...all]
        return ok({ messages: now.slice(offset, offset + 100) })
      })
      const got = yield* Stream.runCollect((yield* on(service.url)).all)
      assert.deepStrictEqual(
        Array.from(got, (each) => String(each.messageId)),
        all.map((each) => each.message_id)
      )
      assert.lengthOf(service.seen, 3)
    }).pipe(Effect.scoped)
  )

  it.live("ends at a service that ignores offsets", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ok({ messages: Array.from({ length: 100 }, (_, n) => message(n)) }))
      const got = yield* Stream.runCollect((yield* on(service.url)).all)
      assert.lengthOf(got, 100)
      assert.lengthOf(service.seen, 2)
    }).pipe(Effect.scoped)
  )
})

const poll = { initialInterval: "1 millis", maxInterval: "2 millis" } as const

const queryOf = (url: string) => Object.fromEntries(new URL(url, "http://x").searchParams)

const orders = ["newest page", "newest first", "oldest first"] as const

/** The page of these messages that a query asks for. */
const page = (
  messages: ReadonlyArray<ReturnType<typeof message>>,
  order: (typeof orders)[number],
  { limit = "20", offset = "0" }: Record<string, string>
) => {
  const listed = order === "oldest first" ? messages : messages.toReversed()
  const found = listed.slice(Number(offset), Number(offset) + Number(limit))
  return ok({ messages: order === "newest page" ? found.toReversed() : found })
}

/** The texts of the first messages after one. */
const textsSince = Effect.fn(function* (url: string, messageId: string, count: number) {
  const messages = (yield* on(url)).since(MessageId.make(messageId), { poll })
  return [...(yield* messages.pipe(Stream.take(count), Stream.map(textOf), Stream.runCollect))]
})

/** The texts of `count` messages, beginning with this one. */
const textsFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => `text ${first + n}`)

describe("since", () => {
  it.live("emits each message once, oldest first, whatever the service repeats or reorders", () =>
    Effect.gen(function* () {
      const answers = [
        [message(1), message(2)],
        [message(2), message(3)],
        [],
        [message(5), message(4), message(3)],
        [message(0, "start"), message(5), message(6)]
      ]
      const service = yield* Service.make((_, nth) => ok({ messages: answers[nth - 1] ?? [] }))
      const assistant = yield* on(service.url)
      const got = yield* assistant
        .since(MessageId.make("start"), { poll })
        .pipe(Stream.take(6), Stream.map(textOf), Stream.runCollect)
      assert.deepStrictEqual(
        [...got],
        [1, 2, 3, 4, 5, 6].map((n) => `text ${n}`)
      )
      assert.deepStrictEqual(
        service.seen.slice(0, 5).map(({ url }) => queryOf(url)),
        ["start", "m2", "m3", "m3", "m5"].map((message_id) => ({ message_id }))
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "goes on from the history, without repeats, where the service no longer knows a message (contract decision 69)",
    () =>
      Effect.gen(function* () {
        for (const order of orders) {
          const kept = Array.from({ length: 230 }, (_, n) => message(n + 1)).filter((each) => each.message_id !== "m3")
          const service = yield* Service.make(({ url }) => {
            const query = queryOf(url)
            const { message_id } = query
            if (message_id === "m1") return ok({ messages: [message(2), message(3)] })
            if (message_id === "m3") return refused(404, "not_found")
            if (message_id !== undefined) return ok({ messages: [message(231)] })
            return page(kept, order, query)
          })
          assert.deepStrictEqual(yield* textsSince(service.url, "m1", 230), textsFrom(2, 230))
        }
      }).pipe(Effect.scoped)
  )

  it.live("starts with the newest page where the service never knew the message", () =>
    Effect.gen(function* () {
      for (const order of orders) {
        const all = Array.from({ length: 250 }, (_, n) => message(n + 1))
        const service = yield* Service.make(({ url }) => {
          const query = queryOf(url)
          if (query["message_id"] !== undefined) return refused(404, "not_found")
          return page(all, order, query)
        })
        assert.deepStrictEqual(yield* textsSince(service.url, "gone", 100), textsFrom(151, 100))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("polls with growing waits while no messages come, and at once after a message", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const arrivals: Array<number> = [20_000, 20_001]
      const client = Layer.succeed(OpenApiClient, {
        keepsIdempotencyKeys: Effect.succeed(false),
        call: <A>() =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            asked.push(now)
            const [next] = arrivals
            const here = next !== undefined && next <= now ? arrivals.splice(0, 1) : []
            return here.map((n) => new AssistantMessage({ messageId: MessageId.make(`m${n}`), role: "user" })) as A
          })
      })
      const fiber = yield* Assistant.Assistant.pipe(
        Effect.flatMap((assistant) => Stream.runDrain(assistant.since(MessageId.make("m")))),
        Effect.provide(Layer.provide(Assistant.layer, client)),
        Effect.fork
      )
      yield* TestClock.adjust("60 seconds")
      yield* Fiber.interrupt(fiber)
      const waits = asked.slice(1).map((each, n) => each - (asked[n] ?? 0))
      const arrived = waits.indexOf(0)
      const [before, after] = [waits.slice(0, arrived), waits.slice(arrived)]
      assert.deepStrictEqual(before.slice(0, 3), [500, 750, 1125])
      assert.deepStrictEqual(
        before,
        before.toSorted((a, b) => a - b)
      )
      assert.strictEqual(before.at(-1), 5_000)
      // Two answers with a message follow each other at once, then the waits begin anew.
      assert.deepStrictEqual(after.slice(0, 5), [0, 0, 500, 750, 1125])
      assert.strictEqual(waits.at(-1), 5_000)
    })
  )
})
