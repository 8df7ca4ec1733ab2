import { assert, describe, it } from "@effect/vitest"
import * as Server from "@heddle/server/Server"
import { knownStatuses } from "@heddle/core/domain/TaskStatus"
import { allowedFrom } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"
import { sharedService, started } from "./support.ts"

const idOf = (answer: Api.Answer) => String(answer.json["task_id"])
const tasksOf = (answer: Api.Answer) => answer.json["tasks"] as ReadonlyArray<Record<string, unknown>>

// Rows 76 and the moves of 74 against a clock and a store: Grants.test.
describe("decisions on tasks", () => {
  const shared = sharedService()

  it.scopedLive("decision 73: CREATING is in capitals as in the contract, or in lower case when configured", () =>
    Effect.gen(function* () {
      const asWritten = yield* shared
      assert.strictEqual((yield* asWritten.call("/tasks", { prompt: "x" })).json["status"], "CREATING")
      const lower = yield* started({ contract: { statusCase: "lower" } })
      const name = '","status":"CREATING"'
      const created = yield* lower.call("/tasks", { prompt: "x", name })
      assert.strictEqual(created.json["status"], "creating")
      assert.strictEqual(created.json["name"], name)
      assert.isNotNull(created.headers.get("location"))
      const listed = yield* lower.call("/tasks")
      assert.notStrictEqual(tasksOf(listed)[0]?.["status"], "CREATING")
      assert.strictEqual(tasksOf(listed)[0]?.["name"], name)
    })
  )

  it("decision 74: allowed transitions of a task, and from completed and failed back to working", () => {
    const leads = (from: (typeof knownStatuses)[number], to: (typeof knownStatuses)[number]) =>
      allowedFrom[to].includes(from)
    for (const [from, to] of [
      ["creating", "idle"],
      ["idle", "planning"],
      ["working", "planning"],
      ["planning", "pending"],
      ["planning", "working"],
      ["working", "pending"],
      ["pending", "working"],
      ["working", "completed"],
      ["working", "failed"],
      ["completed", "working"],
      ["failed", "planning"],
      ["failed", "working"],
      ["completed", "archived"],
      ["archived", "deleted"]
    ] as const) {
      assert.isTrue(leads(from, to), `${from} to ${to}`)
    }
    for (const status of knownStatuses) {
      assert.isFalse(leads(status, "creating"), status)
      assert.isFalse(leads("deleted", status), status)
      if (status !== "deleted") assert.isFalse(leads("archived", status), status)
      const isAfterFailed = ["planning", "working", "archived", "deleted"].includes(status)
      assert.strictEqual(leads("failed", status), isAfterFailed, status)
    }
  })

  it.scopedLive("decision 75: a sandbox that cannot start makes the task failed", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const server = yield* Server.start({ dataDir, port: 0, agents: [{ command: ["/nonexistent/agent"] }] })
      const app = yield* server.applications.ensure({ name: "Loom", redirectUris: [TestServer.redirectUri] })
      yield* server.accounts.ensure({ name: "Ada" })
      const token = yield* TestServer.grant(
        dataDir,
        app.clientId,
        (yield* server.accounts.ensure({ name: "Ada" })).userId
      )
      const call = (path: string, json?: unknown) =>
        Api.call({ at: (path) => server.url + path }, token, path, { json })
      const created = yield* call("/tasks", { prompt: "x" })
      assert.strictEqual(created.status, 201)
      yield* Effect.delay(call(`/tasks/${idOf(created)}`), "20 millis").pipe(
        Effect.repeat({ until: ({ json }) => json["status"] === "failed" }),
        Effect.timeout("10 seconds")
      )
    })
  )

  it.scopedLive("decisions 77–79: link ends in /acp, sandboxLink lacks /acp, expire_at is three days ahead", () =>
    Effect.gen(function* () {
      const { call, ready } = yield* shared
      const { json } = yield* ready(`/tasks/${idOf(yield* call("/tasks", { prompt: "x" }))}`)
      assert.match(String(json["link"]), /\/acp$/)
      assert.strictEqual(`${String(json["sandboxLink"])}/acp`, json["link"])
      assert.notProperty(json, "sandboxDataLink")
      const life = Number(json["expire_at"]) - Date.now() / 1000
      assert.isTrue(life > 3 * 86_400 - 60 && life <= 3 * 86_400, `${life}`)
      const short = yield* started({ ticketTtl: "1 hour" })
      const hourly = yield* short.ready(`/tasks/${idOf(yield* short.call("/tasks", { prompt: "x" }))}`)
      assert.isBelow(Number(hourly.json["expire_at"]) - Date.now() / 1000, 3601)
    })
  )

  it.scopedLive("decision 80: a single task has both times, the list has no credential", () =>
    Effect.gen(function* () {
      const { call, ready } = yield* shared
      const one = yield* ready(`/tasks/${idOf(yield* call("/tasks", { prompt: "x" }))}`)
      assert.property(one.json, "created_at")
      assert.property(one.json, "updated_at")
      const listed = yield* call("/tasks")
      assert.property(tasksOf(listed)[0], "link")
      for (const name of ["token", "expire_at", "sandboxLink"]) assert.notProperty(tasksOf(listed)[0], name)
    })
  )

  it.scopedLive("decisions 81, 86: 201 with Location; a key returns the same task for its user only", () =>
    Effect.gen(function* () {
      const { as, call, server } = yield* shared
      const key = { "idempotency-key": "one" }
      const first = yield* call("/tasks", { prompt: "x" }, key)
      assert.strictEqual(first.status, 201)
      assert.strictEqual(first.headers.get("location"), `/openapi/v2/tasks/${idOf(first)}`)
      const again = yield* call("/tasks", { prompt: "x" }, key)
      assert.deepStrictEqual([again.status, idOf(again)], [201, idOf(first)])
      const bea = as(yield* server.grantTo("Loom", "Bea"))
      assert.notStrictEqual(idOf(yield* bea("/tasks", { prompt: "x" }, key)), idOf(first))
      for (const bad of ["a b", "x".repeat(256), "é"]) {
        const refused = yield* call("/tasks", { prompt: "x" }, { "idempotency-key": bad })
        assert.strictEqual(refused.status, 400, bad)
        assert.include(String(refused.json["error_description"]), "Idempotency-Key")
      }
      assert.strictEqual((yield* call("/tasks", { prompt: "x" }, { "idempotency-key": "x".repeat(255) })).status, 201)
    })
  )

  it.scopedLive(
    "decisions 82, 83: consistent totals, newest first, an empty page past the end, only digits accepted",
    () =>
      Effect.gen(function* () {
        const { call } = yield* started()
        const ids: Array<string> = []
        for (let count = 0; count < 3; count++) ids.unshift(idOf(yield* call("/tasks", { prompt: `${count}` })))
        const all = yield* call("/tasks")
        assert.strictEqual(all.json["total"], 3)
        assert.deepStrictEqual(all.json["pagination"], { page: 1, size: 20, total: 3 })
        const shown = tasksOf(all)
        const sorted = [...shown].sort((a, b) =>
          String(b["created_at"]) === String(a["created_at"])
            ? String(b["task_id"]).localeCompare(String(a["task_id"]))
            : String(b["created_at"]).localeCompare(String(a["created_at"]))
        )
        assert.deepStrictEqual(shown, sorted)
        assert.deepStrictEqual([...ids].sort(), shown.map((task) => String(task["task_id"])).sort())
        const beyond = yield* call("/tasks?page=9")
        assert.deepStrictEqual([beyond.status, tasksOf(beyond).length, beyond.json["total"]], [200, 0, 3])
        for (const odd of ["1.5", "1e2", "%2B2", "%202", "0x10", "-1", "0", "abc", "", "٢"]) {
          const { json } = yield* call(`/tasks?page=${odd}&size=${odd}`)
          assert.deepStrictEqual(json["pagination"], { page: 1, size: 20, total: 3 }, odd)
        }
        assert.deepInclude((yield* call("/tasks?size=1000")).json["pagination"], { size: 100 })
      })
  )

  it.scopedLive("decision 84: the list shows this application's tasks of this user, archived but not deleted", () =>
    Effect.gen(function* () {
      const scenario = (listScope: "application" | "user") =>
        Effect.gen(function* () {
          const { as, call, server } = yield* started({ contract: { listScope } })
          const elsewhere = as(yield* server.grantTo("Other", "Ada"))
          const bea = as(yield* server.grantTo("Loom", "Bea"))
          const kept = idOf(yield* call("/tasks", { prompt: "kept" }))
          const archived = idOf(yield* call("/tasks", { prompt: "archived" }))
          const deleted = idOf(yield* call("/tasks", { prompt: "deleted" }))
          const foreign = idOf(yield* elsewhere("/tasks", { prompt: "elsewhere" }))
          yield* bea("/tasks", { prompt: "hers" })
          yield* server.move(archived, "idle", "archived")
          yield* server.move(deleted, "deleted")
          const listed = yield* call("/tasks")
          const ids = tasksOf(listed).map((task) => String(task["task_id"]))
          assert.strictEqual(listed.json["total"], ids.length)
          const shown = tasksOf(listed).find((task) => task["task_id"] === archived)
          assert.strictEqual(shown?.["status"], "archived")
          assert.notProperty(shown, "link")
          const one = yield* call(`/tasks/${foreign}`)
          return { ids: ids.sort(), own: [kept, archived].sort(), foreign, one }
        })
      const narrow = yield* scenario("application")
      assert.deepStrictEqual(narrow.ids, narrow.own)
      assert.strictEqual(narrow.one.status, 404)
      const wide = yield* scenario("user")
      assert.deepStrictEqual(wide.ids, [...wide.own, wide.foreign].sort())
      assert.strictEqual(wide.one.status, 200)
    })
  )

  it.scopedLive("decision 85: a foreign task is 404 like an unknown one; a deleted one, too, unless configured", () =>
    Effect.gen(function* () {
      const said = ({ json, status }: Api.Answer) => [status, json["error"], json["error_description"]]
      const hiding = yield* started()
      const bea = hiding.as(yield* hiding.server.grantTo("Loom", "Bea"))
      const hers = idOf(yield* bea("/tasks", { prompt: "hers" }))
      const gone = idOf(yield* hiding.call("/tasks", { prompt: "gone" }))
      yield* hiding.server.move(gone, "deleted")
      const unknown = yield* hiding.call("/tasks/unknown")
      assert.strictEqual(unknown.status, 404)
      assert.deepStrictEqual(said(yield* hiding.call(`/tasks/${hers}`)), said(unknown))
      assert.deepStrictEqual(said(yield* hiding.call(`/tasks/${gone}`)), said(unknown))

      const showing = yield* started({ contract: { showDeleted: true } })
      const there = idOf(yield* showing.call("/tasks", { prompt: "there" }))
      yield* showing.server.move(there, "deleted")
      const shown = yield* showing.call(`/tasks/${there}`)
      assert.deepStrictEqual([shown.status, shown.json["status"]], [200, "deleted"])
      assert.notProperty(shown.json, "token")
      assert.strictEqual((yield* showing.call("/tasks")).json["total"], 0)
    })
  )

  it.scopedLive("decision 87: a task without a name gets the first line of its prompt, sixty code points at most", () =>
    Effect.gen(function* () {
      const { call } = yield* shared
      const nameOf = (body: unknown) => Effect.map(call("/tasks", body), ({ json }) => String(json["name"]))
      assert.strictEqual(yield* nameOf({ prompt: "\n\n  Count \t the rows \r\nplease" }), "Count the rows")
      assert.strictEqual(yield* nameOf({ prompt: "x", name: "  " }), "x")
      assert.strictEqual([...(yield* nameOf({ prompt: "🧵".repeat(61) }))].length, 60)
      assert.strictEqual([...(yield* nameOf({ prompt: "x", name: "n".repeat(200) }))].length, 200)
    })
  )

  it.scopedLive("decision 122: a task has the agent that its creation names, or the first", () =>
    Effect.gen(function* () {
      const { call } = yield* started({
        agents: [
          { name: "claude", isolation: "none" },
          { name: "codex", isolation: "none" }
        ]
      })
      assert.deepStrictEqual((yield* call("/agents")).json, { agents: [{ name: "claude" }, { name: "codex" }] })
      const create = (agent: object, key: string) =>
        call("/tasks", { prompt: "x", ...agent }, { "idempotency-key": key })
      assert.strictEqual((yield* create({}, "one")).json["agent"], "claude")
      const chosen = yield* create({ agent: "codex" }, "two")
      assert.strictEqual(chosen.json["agent"], "codex")
      assert.strictEqual((yield* call(`/tasks/${idOf(chosen)}`)).json["agent"], "codex")
      // The same key with another agent is another request.
      assert.strictEqual(idOf(yield* create({ agent: "codex" }, "two")), idOf(chosen))
      assert.strictEqual((yield* create({ agent: "claude" }, "two")).status, 409)
      assert.strictEqual((yield* create({ agent: "codex" }, "one")).status, 409)
    })
  )

  it.scopedLive("decision 122: an agent that is not offered is refused with the names, and nothing is created", () =>
    Effect.gen(function* () {
      const { call } = yield* started({
        agents: [
          { name: "claude", isolation: "none" },
          { name: "codex", isolation: "none" }
        ]
      })
      const key = { "idempotency-key": "one" }
      const refused = yield* call("/tasks", { prompt: "x", agent: "gemini" }, key)
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.json["error"], "invalid_request")
      assert.strictEqual(
        refused.json["error_description"],
        'This service has no agent "gemini"; it offers claude, codex. Leave `agent` out for claude.'
      )
      assert.lengthOf(tasksOf(yield* call("/tasks")), 0)
      assert.strictEqual((yield* call("/tasks", { prompt: "x", agent: "codex" }, key)).status, 201)
    })
  )

  it.scopedLive("decision 122: one agent without a name is offered as default, and tells its tasks so", () =>
    Effect.gen(function* () {
      const { call } = yield* shared
      assert.deepStrictEqual((yield* call("/agents")).json, { agents: [{ name: "default" }] })
      assert.strictEqual((yield* call("/tasks", { prompt: "x", agent: "default" })).json["agent"], "default")
    })
  )

  it.scopedLive("decision 122: agents are listed only with the scope that creates tasks", () =>
    Effect.gen(function* () {
      const { plain } = yield* shared
      assert.strictEqual((yield* plain("/agents")).status, 401)
    })
  )
})
