import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { computer } from "./support/Computer.ts"
import * as AssistantHarness from "./support/AssistantHarness.ts"

const kibibyte = 1024

const question = (requestId: string, more: Record<string, unknown> = {}) => ({
  requestId,
  kind: "questionnaire",
  text: "Which?",
  answerable: true,
  questions: [{ id: "q_0", question: "Which?", multiSelect: false, options: [{ value: "a", label: "A" }] }],
  ...more
})

/** A service with a connected computer whose program is this test. */
const started = (options: Parameters<typeof AssistantHarness.service>[0] = {}) =>
  Effect.gen(function* () {
    const service = yield* AssistantHarness.service({
      contract: { permissionResponse: "accept", offline: "queue" },
      ...options
    })
    const app = yield* service.app()
    const { token } = yield* service.credential
    const pc = computer(service, token, "first-run-1")
    yield* pc.connect
    yield* pc.next("welcome")
    return { service, app, pc, token, ask: (id: string, body: unknown) => pc.post(`/messages/${id}/questions`, body) }
  })

describe("the limits of a conversation", () => {
  it.scopedLive("a page of a hundred messages of any size stays below 8 MiB", () =>
    Effect.gen(function* () {
      const { app, ask, pc } = yield* started()
      // Each takes twice its bytes in JSON, the most that is allowed.
      const longest = '"'.repeat(32 * kibibyte)
      for (let index = 0; index < 20; index++) {
        const id = yield* app.send(longest)
        const asked = yield* ask(id, question(`${index}`, { text: "\u4e00".repeat(21_000) }))
        assert.strictEqual(asked.status, 200)
        assert.strictEqual((yield* pc.reply(id, "\u0001".repeat(43_000))).status, 200)
      }
      const page = yield* app.call("/message?limit=100")
      assert.lengthOf((page.json["data"] as { messages: Array<unknown> }).messages, 100)
      assert.isBelow(Buffer.byteLength(page.text), 8 * kibibyte * kibibyte)
      const inflated = yield* app.post({ content: `x${"\u0001".repeat(32 * kibibyte - 1)}`, msg_type: "text" })
      assert.strictEqual(inflated.status, 400)
      assert.include(String(inflated.json["error_description"]), "control characters")
    })
  )

  it.scopedLive("a long answer arrives completely, in numbered parts", () =>
    Effect.gen(function* () {
      const { app, pc } = yield* started()
      const id = yield* app.send("everything")
      const line = `${"🧵é".repeat(300)}\n`
      const text = line.repeat(135)
      assert.isAbove(Buffer.byteLength(text), 200 * kibibyte)
      const first = yield* pc.reply(id, text)
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual((yield* pc.reply(id, "again")).json, first.json)
      const parts = (yield* app.history(`?message_id=${id}`)).filter(({ metadata }) => metadata["answers"] === id)
      assert.strictEqual(parts.map(({ content }) => content[0]).join(""), text)
      assert.isAbove(parts.length, 3)
      assert.deepStrictEqual(
        parts.map(({ metadata }) => [metadata["part"], metadata["parts"]]),
        parts.map((_, index) => [index + 1, parts.length])
      )
      for (const { content } of parts) {
        assert.isAtMost(Buffer.byteLength(JSON.stringify(content[0])), 64 * kibibyte + 2)
        assert.isTrue(content[0]?.endsWith("\n"))
      }
      // One line without an end is cut between characters.
      const next = yield* app.send("more")
      const single = `x${"🧵".repeat(20_000)}`
      assert.strictEqual((yield* pc.reply(next, single)).status, 200)
      const pieces = yield* app.history(`?message_id=${next}`)
      assert.strictEqual(pieces.map(({ content }) => content[0]).join(""), single)
      const small = yield* app.send("less")
      yield* pc.reply(small, "short")
      assert.deepStrictEqual((yield* app.reply(small)).metadata, { msgType: "text", answers: small })
    })
  )

  it.scopedLive("answers above 256 KiB and questions above their limits are refused", () =>
    Effect.gen(function* () {
      const { app, ask, pc } = yield* started()
      const id = yield* app.send("go on")
      assert.strictEqual((yield* pc.reply(id, "x".repeat(256 * kibibyte + 1))).status, 413)
      assert.strictEqual((yield* pc.reply(id, "\u0001".repeat(43_691))).status, 413)
      const [one] = question("").questions
      const option = { value: "a", label: "A" }
      const refused: ReadonlyArray<readonly [unknown, number]> = [
        [question(""), 400],
        [question("x".repeat(101)), 400],
        [question("1", { questions: [{ ...one, question: "x".repeat(4097) }] }), 400],
        [question("1", { questions: [{ ...one, id: "x".repeat(101) }] }), 400],
        [question("1", { questions: [{ ...one, header: "x".repeat(4097) }] }), 400],
        [question("1", { questions: [{ ...one, options: [{ ...option, label: "x".repeat(4097) }] }] }), 400],
        [question("1", { questions: [{ ...one, options: [{ ...option, value: "x".repeat(4097) }] }] }), 400],
        [question("1", { questions: [{ ...one, options: [{ ...option, description: "x".repeat(4097) }] }] }), 400],
        [question("1", { questions: [{ ...one, options: Array.from({ length: 21 }, () => option) }] }), 400],
        [question("1", { questions: Array.from({ length: 11 }, () => one) }), 400],
        [question("1", { text: "x".repeat(64 * kibibyte) }), 413],
        [question("1", { text: "x".repeat(1024 * kibibyte) }), 413]
      ]
      for (const [index, [body, status]] of refused.entries()) {
        assert.strictEqual((yield* ask(id, body)).status, status, String(index))
      }
      assert.strictEqual((yield* pc.post("/condition", { problem: "x".repeat(1001) })).status, 400)
      assert.deepStrictEqual(yield* app.history(`?message_id=${id}`), [])
      const full = Array.from({ length: 10 }, (_, index) => ({
        ...one,
        id: `q_${index}`,
        options: Array.from({ length: 20 }, () => option)
      }))
      assert.strictEqual((yield* ask(id, question("1", { questions: full }))).status, 200)
    })
  )

  it.scopedLive("a program that sends too much is rate-limited, and others are not", () =>
    Effect.gen(function* () {
      const { app, pc, service } = yield* started({ limits: { rate: { assistant: { requests: 3, seconds: 600 } } } })
      assert.strictEqual((yield* pc.post("/condition", { problem: null })).status, 200)
      assert.strictEqual((yield* pc.post("/condition", { problem: null })).status, 200)
      const refused = yield* pc.post("/condition", { problem: null })
      assert.strictEqual(refused.status, 429)
      assert.isAbove(Number(refused.headers.get("retry-after")), 100)
      const other = computer(service, (yield* service.credential).token, "second-run-1")
      yield* other.connect
      const id = yield* app.send("hello")
      assert.strictEqual((yield* other.reply(id, "hello")).status, 200)
    })
  )
})

describe("the sender of an answer", () => {
  it.scopedLive("a replaced program can no longer answer", () =>
    Effect.gen(function* () {
      const { app, ask, pc, service, token } = yield* started()
      const id = yield* app.send("hello")
      yield* pc.next("message")
      const second = computer(service, token, "second-run-1")
      yield* second.connect
      yield* second.next("message")
      assert.strictEqual((yield* pc.reply(id, "forged")).status, 409)
      assert.strictEqual((yield* ask(id, question("1"))).status, 409)
      assert.deepStrictEqual(yield* app.history(`?message_id=${id}`), [])
      assert.strictEqual((yield* second.reply(id, "right")).status, 200)
      assert.deepStrictEqual((yield* app.reply(id)).content, ["right"])
    })
  )

  it.scopedLive("question ids are separate for each user and message", () =>
    Effect.gen(function* () {
      const { app, ask, pc, service } = yield* started()
      const { userId } = yield* service.accounts.ensure({ name: "Eve" })
      const hers = yield* service.assistants.create(userId, "hers")
      const eve = computer(service, Redacted.value(hers.assistantToken), "eves-run-1")
      yield* eve.connect
      const eves = yield* service.app("Loom", "Eve")
      const theirs = yield* eves.send("hello")
      const first = yield* app.send("hello")
      for (const answer of [
        yield* eve.post(`/messages/${theirs}/questions`, question("same")),
        yield* ask(first, question("same")),
        yield* ask(first, question("same"))
      ]) {
        assert.strictEqual(answer.status, 200, answer.text)
      }
      yield* eve.post("/questions/same/withdrawal", {})
      assert.strictEqual((yield* eves.answer("same", { q_0: "a" })).status, 409)
      assert.strictEqual((yield* app.answer("same", { q_0: "a" })).status, 200)
      assert.deepStrictEqual<unknown>(yield* pc.next("answer"), {
        requestId: "same",
        outcome: "selected",
        answers: { q_0: "a" }
      })
      assert.isFalse(eve.events.some(({ event }) => event === "answer"))
      yield* pc.reply(first, "done")

      // About another message the same id is another question, and an answer is for the one that was asked last.
      const second = yield* app.send("hello again")
      assert.strictEqual((yield* ask(second, question("same"))).status, 200)
      assert.strictEqual((yield* app.answer("same", { q_0: "a" })).status, 200)
      assert.strictEqual((yield* app.question(second)).metadata["state"], "answered")
    })
  )
})
