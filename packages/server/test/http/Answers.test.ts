import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

describe("Answers", () => {
  it.scopedLive("gives every failure the same body and a request id", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { access_token } = yield* Api.connect(server)
      const cases: ReadonlyArray<readonly [string, RequestInit, number, string]> = [
        ["/", {}, 404, "not_found"],
        ["/openapi/v2", {}, 404, "not_found"],
        // A path that is badly encoded or far too long is not found, with any method.
        ["/openapi/v2/tasks/%E0%A4%A", {}, 404, "not_found"],
        ["/openapi/v2/tasks/%", Api.withToken(access_token), 404, "not_found"],
        ["/openapi/v2/tasks/%", { method: "DELETE" }, 404, "not_found"],
        [`/openapi/v2/tasks/${"x".repeat(600)}`, Api.withToken(access_token), 404, "not_found"],
        [`/openapi/v2/tasks/${"x".repeat(9000)}`, {}, 404, "not_found"],
        ["/openapi/v2/tasks/", { method: "DELETE" }, 405, "invalid_request"],
        ["/openapi/v2/%74oken", {}, 405, "invalid_request"],
        ["/openapi/v2/Tasks", Api.withToken(access_token), 404, "not_found"],
        ["/openapi/v2/tasks", { method: "DELETE" }, 405, "invalid_request"],
        ["/openapi/v2/token", {}, 405, "invalid_request"],
        ["/openapi/v2/authorize", { method: "PUT" }, 405, "invalid_request"],
        ["/openapi/v2/credit", {}, 401, "invalid_token"],
        ["/openapi/v2/credit", Api.withToken("wrong"), 401, "invalid_token"],
        [`/openapi/v2/credit?access_token=${access_token}`, {}, 401, "invalid_token"],
        ["/openapi/v2/credit", { headers: { authorization: `Basic ${access_token}` } }, 401, "invalid_token"],
        ["/openapi/v2/credit", { headers: { authorization: access_token } }, 401, "invalid_token"]
      ]
      for (const [path, init, status, error] of cases) {
        const answer = yield* Api.request(server, path, init)
        const label = `${init.method ?? "GET"} ${path}`
        assert.strictEqual(answer.status, status, label)
        assert.match(answer.headers.get("content-type") ?? "", /^application\/json/, label)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store", label)
        const { code, error: word, error_description, msg, request_id } = answer.json
        assert.deepStrictEqual([word, code], [error, error], label)
        assert.isTrue(typeof msg === "string" && msg.length > 0 && msg === error_description, label)
        assert.strictEqual(request_id, answer.headers.get("x-request-id"), label)
      }
    })
  )

  it.scopedLive("challenges for a bearer token, with an error only when there was one (contract decision 11)", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const challenge = (init: RequestInit) =>
        Effect.map(Api.request(server, "/openapi/v2/credit", init), ({ headers }) => headers.get("www-authenticate"))
      assert.strictEqual(yield* challenge({}), 'Bearer realm="openapi"')
      assert.match((yield* challenge(Api.withToken("wrong"))) ?? "", /^Bearer .*error="invalid_token"/)
    })
  )

  it.scopedLive("lists the methods that an address answers, answers HEAD as GET, and numbers successes too", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const allowed = (path: string) =>
        Effect.map(Api.request(server, path, { method: "PATCH" }), ({ headers }) => headers.get("allow"))
      assert.strictEqual(yield* allowed("/openapi/v2/tasks"), "GET, HEAD, OPTIONS, POST")
      assert.strictEqual(yield* allowed("/openapi/v2/tasks/1"), "GET, HEAD, OPTIONS")
      assert.strictEqual(yield* allowed("/openapi/v2/token"), "OPTIONS, POST")
      assert.strictEqual(yield* allowed("/openapi/v2/authorize"), "GET, HEAD, OPTIONS, POST")

      const { access_token } = yield* Api.connect(server)
      const head = yield* Api.call(server, access_token, "/credit", { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      const get = yield* Api.call(server, access_token, "/credit")
      assert.match(get.headers.get("x-request-id") ?? "", /^[0-9a-f]{24}$/)
      assert.strictEqual(get.text, '{"total_capacity_size":100,"total_capacity_used":0}')
    })
  )

  it.scopedLive("sends the profile with the headers of the document (4.3)", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { access_token } = yield* Api.connect(server)
      const profile = yield* Api.call(server, access_token, "/user/profile")
      assert.strictEqual(profile.text, '{"nickname":"Ada","avatar":""}')
      assert.strictEqual(profile.headers.get("content-type"), "application/json; charset=utf-8")
      assert.strictEqual(profile.headers.get("cache-control"), "private, no-store")
    })
  )
})
