import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"
import { bearer, sharedService, started } from "./support.ts"

const superset = ["code", "error", "error_description", "msg", "request_id"]

// The rows of 7.1 of the decision table that a service keeps; 14, 15 and 18 also see OperationsHttp.
describe("decisions on conventions and errors", () => {
  const shared = sharedService()

  it.scopedLive("decision 4: one error body everywhere, in the configured shape", () =>
    Effect.gen(function* () {
      const shapes = {
        superset,
        oauth: ["error", "error_description", "request_id"],
        envelope: ["code", "msg", "request_id"]
      } as const
      for (const [errorShape, keys] of Object.entries(shapes)) {
        const { call, plain } =
          errorShape === "superset"
            ? yield* shared
            : yield* started({ contract: { errorShape: errorShape as keyof typeof shapes } })
        for (const answer of [
          yield* plain("/nothing"),
          yield* plain("/token", { method: "POST", body: new URLSearchParams({ grant_type: "x" }) }),
          yield* plain("/authorize"),
          yield* call("/tasks", {}),
          yield* call("/tasks/unknown"),
          yield* call("/credit", {})
        ]) {
          assert.isAtLeast(answer.status, 400)
          assert.deepStrictEqual(Object.keys(answer.json).sort(), keys)
          if (errorShape === "superset") {
            assert.strictEqual(answer.json["code"], answer.json["error"])
            assert.strictEqual(answer.json["msg"], answer.json["error_description"])
          }
        }
      }
    })
  )

  it.scopedLive("decision 5: tokens have the lifetimes of the two examples, or the configured ones", () =>
    Effect.gen(function* () {
      const { server } = yield* shared
      const first = yield* Api.connect(server)
      assert.strictEqual(first.expires_in, 604_800)
      const next = yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
      assert.strictEqual(next.json["expires_in"], 3600)
      const hardened = yield* TestServer.make({ accessTokenTtl: { code: "1 hour" } })
      assert.strictEqual((yield* Api.connect(hardened)).expires_in, 3600)
    })
  )

  it.scopedLive("decisions 6, 7: the code of an envelope is 0, or the status of an error whose code is in error", () =>
    Effect.gen(function* () {
      const { call, plain } = yield* shared
      const online = yield* call("/localassistant")
      assert.deepStrictEqual([online.status, online.json["code"], online.json["msg"]], [200, 0, "success"])
      const bad = yield* call("/localassistant/message", { content: 1, msg_type: "text" })
      for (const [answer, status, word] of [
        [yield* plain("/localassistant"), 401, "invalid_token"],
        [bad, 400, "invalid_request"],
        [yield* plain("/localassistant", { method: "PUT" }), 405, "invalid_request"]
      ] as const) {
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.json["code"], status)
        assert.strictEqual(answer.json["error"], word)
        assert.deepStrictEqual(Object.keys(answer.json).sort(), superset)
      }
    })
  )

  it.scopedLive("decision 8: error codes are snake case", () =>
    Effect.gen(function* () {
      const { call, plain, server } = yield* shared
      for (const answer of [
        yield* plain("/nothing"),
        yield* plain("/credit"),
        yield* call("/credit", {}),
        yield* call("/tasks", {}),
        yield* Api.token(server, {}),
        yield* Api.token(server, { grant_type: "device" })
      ]) {
        assert.match(String(answer.json["error"]), /^[a-z]+(_[a-z]+)*$/)
      }
    })
  )

  it.scopedLive("decisions 9, 10: an inactive application is 401 for its credentials and 403 for its tokens", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const code = yield* Api.code(server)
      const { access_token } = yield* Api.connect(server)
      yield* server.applications.disable(server.clientId)
      const exchange = yield* Api.token(server, Api.codeFields(server, code))
      assert.deepStrictEqual([exchange.status, exchange.json["error"]], [401, "invalid_client"])
      const resource = yield* Api.call(server, access_token, "/credit")
      assert.deepStrictEqual([resource.status, resource.json["error"]], [403, "access_denied"])
    })
  )

  it.scopedLive("decision 11: a missing token gets a challenge without an error, and invalid_token in the body", () =>
    Effect.gen(function* () {
      const { plain } = yield* shared
      const missing = yield* plain("/credit")
      assert.strictEqual(missing.headers.get("www-authenticate"), 'Bearer realm="openapi"')
      assert.deepStrictEqual([missing.status, missing.json["error"]], [401, "invalid_token"])
    })
  )

  it.scopedLive("decision 12: every response has its own trace id, in the header and in error bodies", () =>
    Effect.gen(function* () {
      const { call, plain } = yield* shared
      const answers = [
        yield* call("/credit"),
        yield* call("/tasks", { prompt: "x" }),
        yield* call("/localassistant"),
        yield* plain("/nothing"),
        yield* plain("/authorize", { headers: { accept: "text/html" } }),
        yield* plain("/tasks", { method: "OPTIONS" })
      ]
      const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "")
      for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const [index, { json }] of answers.entries()) {
        if ("request_id" in json) assert.strictEqual(json["request_id"], ids[index])
      }
    })
  )

  it.scopedLive("decision 13: in errors of redemption request_id is the trace id, never the caller's key", () =>
    Effect.gen(function* () {
      const { call } = yield* shared
      const refused = yield* call("/redemptions", { code: "NO-SUCH-CODE", request_id: "my-own-key-1" })
      assert.isAtLeast(refused.status, 400)
      assert.strictEqual(refused.json["request_id"], refused.headers.get("x-request-id"))
      assert.notStrictEqual(refused.json["request_id"], "my-own-key-1")
    })
  )

  it.scopedLive("decisions 14, 15, 22: unknown fields and parameters are ignored, scene included", () =>
    Effect.gen(function* () {
      const { call } = yield* shared
      const answer = yield* call("/credit?scene=client&unknown=1", undefined, { "x-service-id": "unknown" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual((yield* call("/tasks?scene=client", { prompt: "x", scene: "client", a: [1] })).status, 201)
    })
  )

  it.scopedLive("decision 16: a conflict is 409 invalid_request", () =>
    Effect.gen(function* () {
      const { call } = yield* shared
      yield* call("/tasks", { prompt: "one" }, { "idempotency-key": "key" })
      const conflict = yield* call("/tasks", { prompt: "two" }, { "idempotency-key": "key" })
      assert.deepStrictEqual([conflict.status, conflict.json["error"]], [409, "invalid_request"])
    })
  )

  it.scopedLive("decision 19: 405 with Allow, 413 and 415 are invalid_request", () =>
    Effect.gen(function* () {
      const { plain, token } = yield* shared
      const post = (body: string, type: string) =>
        plain("/tasks", { method: "POST", body, headers: { ...bearer(token), "content-type": type } })
      const method = yield* plain("/tasks", { method: "DELETE" })
      assert.strictEqual(method.headers.get("allow"), "GET, HEAD, OPTIONS, POST")
      for (const [answer, status] of [
        [method, 405],
        [yield* post(JSON.stringify({ prompt: "x".repeat(1_100_000) }), "application/json"), 413],
        [yield* post("x", "text/plain"), 415]
      ] as const) {
        assert.deepStrictEqual([answer.status, answer.json["error"]], [status, "invalid_request"])
      }
    })
  )

  it.scopedLive("decision 20: 403 and 404 are never empty", () =>
    Effect.gen(function* () {
      const { call, plain, server } = yield* shared
      const narrow = yield* Api.connect(server, { scope: "user.profile.readable" })
      for (const answer of [
        yield* call("/tasks/unknown"),
        yield* plain("/nothing"),
        yield* plain("/credit", { headers: bearer(narrow.access_token) })
      ]) {
        assert.include([403, 404], answer.status)
        assert.isNotEmpty(String(answer.json["error_description"]))
      }
    })
  )

  it.scopedLive("decision 21: absent values are omitted, never null", () =>
    Effect.gen(function* () {
      const { call, ready } = yield* shared
      const created = yield* call("/tasks", { prompt: "x", name: null })
      assert.strictEqual(created.status, 201)
      assert.notProperty(created.json, "token")
      yield* ready(`/tasks/${String(created.json["task_id"])}`)
      for (const path of ["/tasks", "/user/profile", "/credit", "/localassistant", "/localassistant/message"]) {
        const answer = yield* call(path)
        assert.strictEqual(answer.status, 200)
        assert.notInclude(answer.text, "null")
      }
    })
  )

  it.scopedLive("decision 22: HEAD is GET without a body, OPTIONS lists the methods, no slash redirects", () =>
    Effect.gen(function* () {
      const { plain, token } = yield* shared
      const headers = bearer(token)
      const get = yield* plain("/tasks", { headers })
      const head = yield* plain("/tasks", { method: "HEAD", headers })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      for (const name of ["content-type", "content-length", "cache-control"]) {
        assert.strictEqual(head.headers.get(name), get.headers.get(name), name)
      }
      const options = yield* plain("/tasks/1", { method: "OPTIONS" })
      assert.deepStrictEqual([options.status, options.text], [204, ""])
      assert.strictEqual(options.headers.get("allow"), "GET, HEAD, OPTIONS")
      assert.strictEqual((yield* plain("/nothing", { method: "OPTIONS" })).status, 404)
      for (const path of ["/tasks/", "//tasks", "/Tasks", "/user/profile/"]) {
        const answer = yield* plain(path, { headers })
        assert.isTrue(answer.status < 300 || answer.status >= 400, `${path} ${answer.status}`)
      }
    })
  )

  it.scopedLive("decision 22: only configured origins may read responses, and never with cookies", () =>
    Effect.gen(function* () {
      const origin = "https://app.example.com"
      const off = yield* shared
      const plainly = yield* off.plain("/credit", { headers: { origin } })
      assert.isNull(plainly.headers.get("access-control-allow-origin"))
      assert.isNull(plainly.headers.get("vary"))

      const { plain, token } = yield* started({ cors: { origins: [origin] } })
      for (const init of [{ headers: { origin, ...bearer(token) } }, { headers: { origin } }]) {
        const answer = yield* plain("/credit", init)
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), origin)
        assert.strictEqual(answer.headers.get("vary"), "Origin")
        assert.include(answer.headers.get("access-control-expose-headers") ?? "", "x-request-id")
        assert.isNull(answer.headers.get("access-control-allow-credentials"))
      }
      const preflight = yield* plain("/tasks", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" }
      })
      assert.strictEqual(preflight.status, 204)
      assert.include(preflight.headers.get("access-control-allow-headers") ?? "", "authorization")
      assert.include(preflight.headers.get("access-control-allow-methods") ?? "", "POST")
      for (const stranger of ["https://evil.example", "https://app.example.com.evil.example", "null"]) {
        const answer = yield* plain("/credit", { headers: { origin: stranger } })
        assert.isNull(answer.headers.get("access-control-allow-origin"), stranger)
      }
      const everyone = yield* started({ cors: { origins: ["*"] } })
      const any = yield* everyone.plain("/credit", { headers: { origin: "https://any.example" } })
      assert.strictEqual(any.headers.get("access-control-allow-origin"), "*")
    })
  )

  it.scopedLive("decision 23: the API never redirects", () =>
    Effect.gen(function* () {
      const { call, plain } = yield* shared
      for (const answer of [
        yield* call("/tasks/"),
        yield* call("/tasks/%2e%2e/credit"),
        yield* plain("/"),
        yield* plain(""),
        yield* plain("/token")
      ]) {
        assert.isNull(answer.headers.get("location"))
        assert.isFalse(answer.status >= 300 && answer.status < 400)
      }
    })
  )

  it.scopedLive("decisions 24, 25: times are ISO 8601 in UTC, expiry is Unix seconds, names are the contract's", () =>
    Effect.gen(function* () {
      const { call, ready } = yield* shared
      const created = yield* call("/tasks", { prompt: "x" })
      const { json } = yield* ready(`/tasks/${String(created.json["task_id"])}`)
      assert.deepStrictEqual(Object.keys(json).sort(), [
        "agent",
        "created_at",
        "expire_at",
        "link",
        "name",
        "sandboxLink",
        "status",
        "task_id",
        "token",
        "updated_at"
      ])
      for (const name of ["created_at", "updated_at"]) {
        assert.match(String(json[name]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
      assert.isTrue(Number.isInteger(json["expire_at"]) && Number(json["expire_at"]) < 1e11)
    })
  )

  it.scopedLive("decision 26: prompt 32 KiB, name 200, body 1 MiB, or as configured", () =>
    Effect.gen(function* () {
      const usual = yield* shared
      const answers = (call: (typeof usual)["call"], bodies: ReadonlyArray<unknown>) =>
        Effect.map(
          Effect.forEach(bodies, (body) => call("/tasks", body)),
          (all) => all.map(({ status }) => status)
        )
      const bodies = [
        { prompt: "é".repeat(16 * 1024) },
        { prompt: `${"é".repeat(16 * 1024)}x` },
        { prompt: "x", name: "🧵".repeat(200) },
        { prompt: "x", name: "🧵".repeat(201) },
        { prompt: "x", more: "x".repeat(1024 * 1024) }
      ]
      assert.deepStrictEqual(yield* answers(usual.call, bodies), [201, 400, 201, 400, 413])
      const small = yield* started({ limits: { prompt: 4, name: 2, body: 100 } })
      const tight = [{ prompt: "four" }, { prompt: "fives" }, { prompt: "x", name: "abc" }, { prompt: "x".repeat(100) }]
      assert.deepStrictEqual(yield* answers(small.call, tight), [201, 400, 400, 413])
    })
  )

  it.scopedLive("decision 27: Deprecation and Sunset are sent when they are configured", () =>
    Effect.gen(function* () {
      const headers = (answer: Api.Answer) => [answer.headers.get("deprecation"), answer.headers.get("sunset")]
      const usual = yield* shared
      assert.deepStrictEqual(headers(yield* usual.call("/credit")), [null, null])
      const since = new Date("2027-01-31T00:00:00Z")
      const ending = yield* started({ deprecation: { since, sunset: new Date("2027-12-31T00:00:00Z") } })
      const expected = ["@1801353600", "Fri, 31 Dec 2027 00:00:00 GMT"]
      assert.deepStrictEqual(headers(yield* ending.call("/credit")), expected)
      assert.deepStrictEqual(headers(yield* ending.plain("/nothing")), expected)
      assert.deepStrictEqual(headers(yield* Api.request(ending.server, "/healthz")), [null, null])
    })
  )

  it.scopedLive("decision 81: every answer of the API says that idempotency keys are kept, a refusal too", () =>
    Effect.gen(function* () {
      const { call, plain, server } = yield* shared
      const answers = [yield* call("/credit"), yield* call("/tasks", {}), yield* plain("/credit"), yield* plain("/no")]
      for (const { headers } of answers) assert.strictEqual(headers.get("accept-idempotency-key"), "true")
      assert.isNull((yield* Api.request(server, "/healthz")).headers.get("accept-idempotency-key"))
    })
  )
})
