import { assert, describe, it } from "@effect/vitest"
import * as Credits from "@heddle/server/credits/Credits"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

const started = Effect.gen(function* () {
  const server = yield* TestServer.make()
  const tokens = yield* Api.connect(server)
  const call = (path: string, json?: unknown, headers: Record<string, string> = {}) =>
    Api.call(server, tokens.access_token, path, { json, headers })
  const create = (json: unknown, headers: Record<string, string> = {}) => call("/tasks", json, headers)
  const ready = (taskId: unknown) =>
    Effect.delay(call(`/tasks/${taskId}`), "10 millis").pipe(
      Effect.repeat({ until: ({ json }) => json["token"] !== undefined }),
      Effect.timeout("5 seconds")
    )
  return { server, tokens, call, create, ready }
})

describe("TasksHttp", () => {
  it.scopedLive("creates a task, and returns link and token after the sandbox has started", () =>
    Effect.gen(function* () {
      const { call, create, ready, server } = yield* started
      const created = yield* create({ prompt: "  \n Count the rows \nplease" })
      assert.strictEqual(created.status, 201)
      assert.strictEqual(created.headers.get("cache-control"), "private, no-store")
      const taskId = String(created.json["task_id"])
      assert.strictEqual(created.headers.get("location"), `/openapi/v2/tasks/${taskId}`)
      assert.strictEqual(created.json["status"], "CREATING")
      assert.strictEqual(created.json["name"], "Count the rows")
      assert.isUndefined(created.json["link"])
      assert.isUndefined(created.json["token"])

      const { json } = yield* ready(taskId)
      assert.strictEqual(json["status"], "working")
      assert.strictEqual(json["link"], `${server.url}/sandboxes/${taskId}/acp`)
      assert.strictEqual(json["sandboxLink"], `${server.url}/sandboxes/${taskId}`)
      assert.match(String(json["token"]), /^oa_tk_/)
      const life = Number(json["expire_at"]) - Date.now() / 1000
      assert.isTrue(life > 3 * 86_400 - 60 && life <= 3 * 86_400, `${life}`)
      assert.match(String(json["created_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const again = yield* call(`/tasks/${taskId}`)
      assert.strictEqual(again.json["token"], json["token"])
    })
  )

  it.scopedLive("holds the initial prompt on request", () =>
    Effect.gen(function* () {
      const { create, ready } = yield* started
      const { json } = yield* create({ prompt: "later", initial_prompt: "hold", name: " My \t task " })
      assert.strictEqual(json["name"], "My task")
      const task = yield* ready(json["task_id"])
      assert.deepStrictEqual([task.json["status"], task.json["initial_prompt"]], ["idle", "hold"])
      const other = yield* create({ prompt: "at once" })
      assert.notProperty((yield* ready(other.json["task_id"])).json, "initial_prompt")
    })
  )

  it.scopedLive("truncates names at 60 code points and never inside a character", () =>
    Effect.gen(function* () {
      const { create } = yield* started
      const { json } = yield* create({ prompt: "🧵".repeat(100) })
      assert.strictEqual([...String(json["name"])].length, 60)
      assert.isTrue(String(json["name"]).startsWith("🧵🧵"))
      assert.isFalse(/[\ud800-\udfff](?![\udc00-\udfff])/u.test(String(json["name"])))
    })
  )

  it.scopedLive("refuses invalid input and names its field", () =>
    Effect.gen(function* () {
      const { create, server, tokens } = yield* started
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "prompt"],
        [{ prompt: 1 }, "prompt"],
        [{ prompt: "" }, "empty"],
        [{ prompt: " \n " }, "empty"],
        [{ prompt: "é".repeat(16 * 1024 + 1) }, "32768 bytes"],
        [{ prompt: "x", name: "n".repeat(201) }, "200 characters"],
        [{ prompt: "x", initial_prompt: "maybe" }, "initial_prompt"],
        [[], "body"]
      ]
      for (const [body, mention] of cases) {
        const answer = yield* create(body)
        assert.strictEqual(answer.status, 400, mention)
        assert.strictEqual(answer.json["error"], "invalid_request")
        assert.include(String(answer.json["error_description"]), mention)
      }
      assert.strictEqual((yield* create({ prompt: "é".repeat(16 * 1024) })).status, 201)
      const raw = (contentType: string, body: string) =>
        Api.request(server, "/openapi/v2/tasks", {
          method: "POST",
          headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": contentType },
          body
        })
      assert.strictEqual((yield* raw("application/json", '{"prompt":')).status, 400)
      assert.strictEqual((yield* raw("application/x-www-form-urlencoded", "prompt=x")).status, 415)
      assert.strictEqual((yield* raw("text/plain", "x")).status, 415)
      assert.strictEqual(
        (yield* raw("application/json", JSON.stringify({ prompt: "x".repeat(1_100_000) }))).status,
        413
      )
    })
  )

  it.scopedLive("creates one task per idempotency key, also concurrently (contract decision 81)", () =>
    Effect.gen(function* () {
      const { call, create } = yield* started
      const key = { "idempotency-key": "a-1" }
      const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => create({ prompt: "once" }, key), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(answers.map(({ json }) => json["task_id"])).size, 1)
      const other = yield* create({ prompt: "twice" }, key)
      assert.strictEqual(other.status, 409)
      assert.strictEqual(other.json["error"], "invalid_request")
      assert.strictEqual((yield* create({ prompt: "x" }, { "idempotency-key": "a b" })).status, 400)
      assert.strictEqual((yield* call("/tasks")).json["total"], 1)
    })
  )

  it.scopedLive(
    "creates no task without credits, and repeats the response of a task that used the last (decision 81)",
    () =>
      Effect.gen(function* () {
        const { create, server } = yield* started
        const key = { "idempotency-key": "a-1" }
        const first = yield* create({ prompt: "once" }, key)
        const { userId } = Option.getOrThrow(yield* server.accounts.verify("ada", Redacted.make("correct horse")))
        yield* Effect.flatMap(Credits.Credits, (credits) =>
          credits.spend({ userId, amount: 1000, reference: "everything" })
        ).pipe(Effect.provide(Layer.provide(Credits.layer, Database.layer(server.dataDir))))
        const refused = yield* create({ prompt: "twice" }, { "idempotency-key": "a-2" })
        assert.strictEqual(refused.status, 403)
        assert.strictEqual(refused.json["error"], "access_denied")
        assert.match(String(refused.json["error_description"]), /used up its credits\. Add credits, then try again\.$/)
        const again = yield* create({ prompt: "once" }, key)
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.json["task_id"], first.json["task_id"])
        // The refused request took its key back: it works as soon as there are credits.
        const [code = Redacted.make("")] = yield* server.redemptionCodes.create({ credits: 1 })
        const token = (yield* Api.connect(server)).access_token
        const redeemed = yield* Api.call(server, token, "/redemptions", {
          json: { code: Redacted.value(code), request_id: "request-1" }
        })
        assert.strictEqual(redeemed.status, 200)
        assert.strictEqual((yield* create({ prompt: "twice" }, { "idempotency-key": "a-2" })).status, 201)
      })
  )

  it.scopedLive("lists tasks newest first without tokens, by page and size as in the contract", () =>
    Effect.gen(function* () {
      const { call, create, ready } = yield* started
      const ids: Array<unknown> = []
      for (const prompt of ["one", "two", "three"]) {
        const { json } = yield* create({ prompt })
        ids.unshift(json["task_id"])
        yield* ready(json["task_id"])
      }
      const { json, text } = yield* call("/tasks")
      const tasks = json["tasks"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        tasks.map((task) => task["task_id"]),
        ids
      )
      assert.deepStrictEqual(Object.keys(tasks[0] ?? {}).sort(), [
        "agent",
        "created_at",
        "link",
        "name",
        "status",
        "task_id",
        "updated_at"
      ])
      assert.notInclude(text, "oa_tk_")
      assert.deepStrictEqual(json["pagination"], { page: 1, size: 20, total: 3 })

      const pages: ReadonlyArray<readonly [string, number, number, number]> = [
        ["?page=2&size=2", 2, 2, 1],
        ["?page=3&size=2", 3, 2, 0],
        ["?page=0&size=0", 1, 20, 3],
        ["?page=-1&size=-5", 1, 20, 3],
        ["?page=1.5&size=1e1", 1, 20, 3],
        ["?page=%2B2&size=%202", 1, 20, 3],
        ["?page=0x2&size=", 1, 20, 3],
        ["?page=2&page=3&size=101", 1, 100, 3],
        ["?page=01&size=002", 1, 2, 2],
        ["?unknown=1", 1, 20, 3],
        [`?page=${"9".repeat(30)}`, 1_000_000_000, 20, 0]
      ]
      for (const [query, page, size, count] of pages) {
        const answer = yield* call(`/tasks${query}`)
        assert.strictEqual(answer.status, 200, query)
        assert.deepStrictEqual(answer.json["pagination"], { page, size, total: 3 }, query)
        assert.strictEqual((answer.json["tasks"] as ReadonlyArray<unknown>).length, count, query)
      }
    })
  )

  it.scopedLive("answers alike for unknown tasks and tasks of other users or applications (decisions 84, 85)", () =>
    Effect.gen(function* () {
      const { call, create, server } = yield* started
      const { json } = yield* create({ prompt: "mine" })
      const narrow = yield* Api.connect(server, { scope: "user.task.readable user.task.invokable" })
      const samePerson = yield* Api.call(server, narrow.access_token, `/tasks/${json["task_id"]}`)
      assert.strictEqual(samePerson.status, 200)

      const other = yield* server.grantTo("Other", "Bea")
      const seen = yield* Api.call(server, other, `/tasks/${json["task_id"]}`)
      assert.strictEqual(seen.status, 404)
      assert.strictEqual(seen.json["error"], "not_found")
      const list = yield* Api.call(server, other, "/tasks")
      assert.strictEqual(list.json["total"], 0)
      for (const id of ["nope", "a%2Fb", "%00", "x".repeat(400)]) {
        assert.strictEqual((yield* call(`/tasks/${id}`)).status, 404, id)
      }
    })
  )

  it.scopedLive("names the missing scope (5.6)", () =>
    Effect.gen(function* () {
      const { server } = yield* started
      const { access_token } = yield* Api.connect(server, { scope: "user.task.readable" })
      const denied = yield* Api.call(server, access_token, "/tasks", { json: { prompt: "x" } })
      assert.strictEqual(denied.status, 403)
      assert.strictEqual(denied.json["error"], "insufficient_scope")
      assert.match(
        denied.headers.get("www-authenticate") ?? "",
        /^Bearer .*error="insufficient_scope".*scope="user.task.invokable"/
      )
      const browser = Browser.make(server.url)
      assert.strictEqual((yield* browser.get("/openapi/v2/tasks")).status, 401)
    })
  )
})
