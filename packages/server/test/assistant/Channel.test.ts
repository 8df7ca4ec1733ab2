import { assert, describe, it } from "@effect/vitest"
import * as AssistantClient from "@heddle/test-support/AssistantClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { computer } from "./support/Computer.ts"
import * as AssistantHarness from "./support/AssistantHarness.ts"

describe("the assistant's channel", () => {
  it.scopedLive("accepts answers up to its own limit, independent of the applications' limit", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ limits: { body: 2000 } })
      const app = yield* service.app()
      const pc = computer(service, (yield* service.credential).token, "first-run-1")
      yield* pc.connect
      yield* pc.next("welcome")
      const long = yield* app.post({ content: "x".repeat(2000), msg_type: "text" })
      assert.strictEqual(long.status, 413)
      const id = yield* app.send("tell me everything")
      yield* pc.next("message")
      assert.strictEqual((yield* pc.reply(id, "x".repeat(2 * 1024 * 1024))).status, 413)
      assert.strictEqual((yield* pc.reply(id, "x".repeat(100_000))).status, 200)
    })
  )

  it.scopedLive("hands each message to one computer at a time, and accepts one answer", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service(
        {},
        { sweep: Duration.millis(50), handOver: Duration.millis(200) }
      )
      const [app, stranger] = [yield* service.app(), yield* service.app("Loom", "Eve")]
      const [one, two] = [yield* service.credential, yield* service.credential]
      const first = computer(service, one.token, "first-run-1")
      const second = computer(service, two.token, "second-run-1")
      yield* first.connect
      yield* second.connect
      yield* second.next("welcome")
      const ids = [yield* app.send("one"), yield* app.send("two")]
      const message = yield* first.next("message")
      assert.deepInclude(message, { messageId: ids[0], application: "Loom", text: "one" })
      const answer = yield* first.reply(ids[0], "1")
      assert.strictEqual(answer.status, 200)
      // A second answer, from any sender, is the same row.
      assert.deepStrictEqual((yield* second.reply(ids[0], "other")).json, answer.json)
      assert.strictEqual((yield* first.next("message"))["messageId"], ids[1])
      yield* first.reply(ids[1], "2")
      assert.deepStrictEqual(
        (yield* app.history()).map(({ content }) => content[0]),
        ["one", "two", "1", "2"]
      )
      assert.isFalse(second.events.some(({ event }) => event === "message"))
      assert.deepStrictEqual(yield* stranger.history(), [])
      assert.isFalse(yield* stranger.online)

      // Any computer is online, and the one that is left answers.
      yield* first.leave
      const third = yield* app.send("three")
      assert.isTrue(yield* app.online)
      assert.strictEqual((yield* second.next("message"))["messageId"], third)
    })
  )

  it.scopedLive("accepts only the credential of a computer, which no other endpoint accepts", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const { token } = yield* service.credential
      const access = yield* service.grantTo("Loom", "Ada")
      const foreign = yield* Effect.flatMap(service.accounts.ensure({ name: "Eve" }), ({ userId }) =>
        service.assistants.create(userId, "hers")
      )
      const app = yield* service.app()
      const pc = computer(service, token, "the-run-1")
      yield* pc.connect
      const sent = yield* app.send("hello")
      yield* pc.next("message")
      for (const wrong of [access, "oa_as_unknown", ""]) {
        const answer = yield* computer(service, wrong, "other-run").reply(sent, "wrong")
        assert.strictEqual(answer.status, 401, wrong.slice(0, 6))
        assert.strictEqual(answer.json["error"], "invalid_token")
      }
      const eve = computer(service, Redacted.value(foreign.assistantToken), "eves-run-1")
      yield* eve.connect
      assert.strictEqual((yield* eve.reply(sent, "wrong")).status, 404)
      assert.strictEqual((yield* AssistantClient.application(service.url, token).call("")).status, 401)
      assert.strictEqual((yield* pc.reply(sent, "right")).status, 200)
    })
  )

  it.scopedLive("answers 502 when the computer's agent cannot be started", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      const pc = computer(service, (yield* service.credential).token, "the-run-1")
      yield* pc.connect
      yield* pc.next("welcome")
      yield* pc.post("/condition", { problem: "Its agent cannot be started." })
      const refused = yield* app.post({ content: "hello", msg_type: "text" })
      assert.strictEqual(refused.status, 502)
      assert.match(String(refused.json["error_description"]), /cannot be started\. Nothing was sent/)
      assert.deepStrictEqual(yield* app.history(), [])
      yield* pc.post("/condition", { problem: null })
      yield* app.send("hello again")
    })
  )

  it.scopedLive("accepts a message once per Idempotency-Key, and refuses invalid keys", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      const offline = yield* app.post({ content: "hello", msg_type: "text" })
      assert.strictEqual(offline.status, 404)
      assert.strictEqual(offline.json["error"], "not_found")
      assert.match(String(offline.json["error_description"]), /^assistant offline/)

      const pc = computer(service, (yield* service.credential).token, "the-run-1")
      yield* pc.connect
      yield* pc.next("welcome")
      const key = { "idempotency-key": "abc" }
      const sent = yield* app.send("hello", key)
      yield* pc.leave
      yield* app.becomes(false)
      assert.strictEqual(yield* app.send("hello", key), sent)
      assert.strictEqual((yield* app.post({ content: "other", msg_type: "text" }, key)).status, 409)
      assert.lengthOf(yield* app.history(), 1)

      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [{ content: "", msg_type: "text" }, /empty/],
        [{ content: " \n", msg_type: "text" }, /empty/],
        [{ content: "x".repeat(32 * 1024 + 1), msg_type: "text" }, /longer than 32768 bytes/],
        [{ content: "é".repeat(16 * 1024 + 1), msg_type: "text" }, /longer/],
        [{ content: "x", msg_type: "image" }, /msg_type not allowed/],
        [{ content: "{}", msg_type: "permission_response" }, /msg_type not allowed/],
        [{ content: "x" }, /msg_type/],
        [{ content: ["x"], msg_type: "text" }, /content/]
      ]
      for (const [json, description] of cases) {
        const answer = yield* app.post(json)
        assert.strictEqual(answer.status, 400)
        assert.match(String(answer.json["error_description"]), description)
      }
    })
  )

  it.scopedLive("gives the newest page, and in pages and increments the oldest message first (decision 68)", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ contract: { offline: "queue" } })
      const app = yield* service.app()
      const ids: Array<string> = []
      for (let n = 0; n < 105; n++) ids.push(yield* app.send(`number ${n}`))
      const numbers = (query: string) =>
        Effect.map(app.history(query), (all) => all.map(({ content }) => Number(content[0]?.slice(7))))
      assert.deepStrictEqual((yield* app.history("?limit=1"))[0], {
        message_id: ids[104] ?? "",
        role: "user",
        content: ["number 104"],
        msg_type: "text",
        created_at: (yield* app.history("?limit=1"))[0]?.created_at ?? "",
        attachments: [],
        metadata: { msgType: "text" }
      })
      for (const [query, first, count] of [
        ["", 85, 20],
        ["?limit=3&offset=2", 100, 3],
        ["?limit=1000", 5, 100],
        ["?limit=0", 85, 20],
        ["?limit=-5&offset=-5", 85, 20],
        ["?limit=abc&offset=1.5", 85, 20],
        ["?limit=2&limit=3", 85, 20],
        ["?limit=%202", 85, 20],
        ["?offset=200", undefined, 0],
        [`?message_id=${ids[0]}&limit=1&offset=50`, 1, 100],
        [`?message_id=${ids[104]}`, undefined, 0]
      ] as const) {
        const found = yield* numbers(query)
        assert.strictEqual(found.length, count, query)
        assert.deepStrictEqual(
          found,
          Array.from({ length: count }, (_, n) => Number(first) + n),
          query
        )
      }
      assert.deepStrictEqual(yield* numbers(`?message_id=${ids[102]}`), [103, 104])
      const unknown = yield* app.call("/message?message_id=nothing")
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.json["error"], "not_found")
    })
  )

  it.scopedLive("lists pages in one order throughout where it is configured so (decision 68)", () =>
    Effect.gen(function* () {
      for (const [order, expected] of [
        ["newest_first", ["three", "two"]],
        ["oldest_first", ["one", "two"]]
      ] as const) {
        const service = yield* AssistantHarness.service({ contract: { offline: "queue", order } })
        const app = yield* service.app()
        for (const text of ["one", "two", "three"]) yield* app.send(text)
        assert.deepStrictEqual(
          (yield* app.history("?limit=2")).map(({ content }) => content[0]),
          [...expected]
        )
      }
    })
  )
})
