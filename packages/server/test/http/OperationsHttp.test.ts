import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Listener from "@heddle/server/http/Listener"
import * as Database from "@heddle/server/sql/Database"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Net from "node:net"
import * as Api from "../support/Api.ts"
import * as Raw from "../support/Raw.ts"
import * as TestServer from "../support/TestServer.ts"

describe("OperationsHttp", () => {
  it.scopedLive("reports liveness and readiness to any caller", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      for (const [path, status] of [
        ["/healthz", { status: "ok" }],
        ["/readyz", { status: "ready", isolation: "process", agent_network: true }]
      ] as const) {
        const answer = yield* Api.request(server, path)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(answer.json, status)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.strictEqual((yield* Api.request(server, path, { method: "HEAD" })).status, 200)
        assert.strictEqual((yield* Api.request(server, path, { method: "POST" })).status, 405)
      }
    })
  )

  it.scopedLive("decision 18: is live but not ready while it starts, with the error body and Retry-After", () =>
    Effect.gen(function* () {
      const listener = yield* Listener.listen({ host: "127.0.0.1", port: 0 })
      const url = `http://127.0.0.1:${listener.port}`
      const get = (path: string) => Effect.promise(() => fetch(url + path))
      assert.strictEqual((yield* get("/healthz")).status, 200)
      for (const path of ["/readyz", "/openapi/v2/credit"]) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        const body = yield* Effect.promise(() => answer.json() as Promise<Record<string, unknown>>)
        assert.strictEqual(body["error"], "temporarily_unavailable")
        assert.strictEqual(body["request_id"], answer.headers.get("x-request-id"))
      }
    })
  )

  it.scopedLive("reports a database without writes also after the time of day was set back", () =>
    Effect.gen(function* () {
      const real = Clock.make()
      let stepMs = 0
      let passed = 0n
      const wall = () => real.unsafeCurrentTimeMillis() + stepMs
      const nanos = () => real.unsafeCurrentTimeNanos() + passed
      const clock: Clock.Clock = Object.assign(Clock.make(), {
        unsafeCurrentTimeMillis: wall,
        currentTimeMillis: Effect.sync(wall),
        unsafeCurrentTimeNanos: nanos,
        currentTimeNanos: Effect.sync(nanos)
      })
      const server = yield* Effect.withClock(TestServer.make(), clock)
      assert.strictEqual((yield* Api.request(server, "/readyz")).status, 200)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ALTER TABLE master_key RENAME TO gone`).pipe(
        Effect.provide(Database.layer(server.dataDir))
      )
      stepMs = -7_200_000
      passed = 2_000_000_000n
      assert.strictEqual((yield* Api.request(server, "/readyz")).status, 503)
    })
  )

  it.scopedLive("is not ready while it drains", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = yield* Scope.extend(TestServer.make(), scope)
      const connect = Effect.async<Net.Socket | undefined>((resume) => {
        const socket = Net.connect(Number(new URL(server.url).port), "127.0.0.1")
        socket.once("connect", () => resume(Effect.succeed(socket)))
        socket.once("error", () => resume(Effect.succeed(undefined)))
      })
      // Half a request is under way, so its connection outlives the end of listening.
      const asking = yield* connect
      assert.isDefined(asking)
      const answer = Effect.async<string>((resume) => {
        asking.once("data", (data) => resume(Effect.succeed(data.toString())))
        asking.once("close", () => resume(Effect.succeed("closed without an answer")))
      })
      asking.write("GET /readyz HTTP/1.1\r\nhost: service\r\n")
      yield* Api.request(server, "/readyz")
      const stopped = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* connect.pipe(
        Effect.tap((socket) => Effect.sync(() => socket?.destroy())),
        Effect.repeat({ until: (socket) => socket === undefined })
      )
      asking.write("\r\n")
      assert.match(yield* answer, /^HTTP\/1.1 503 .*"The service is stopping."/s)
      yield* Fiber.join(stopped)
    })
  )

  it.scopedLive("exports Prometheus metrics of requests, times, limits, streams and tasks without personal data", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ limits: { rate: { user: { requests: 3, seconds: 600 } } } })
      const token = yield* server.grantTo("Loom", "Ada")
      const call = (path: string, json?: unknown) => Api.call(server, token, path, { json })
      const created = yield* call("/tasks", { prompt: "Count the rows" })
      const taskId = String(created.json["task_id"])
      yield* call(`/tasks/${taskId}`)
      yield* call("/tasks")
      yield* call("/tasks")
      const metrics = yield* Api.request(server, "/metrics")
      assert.strictEqual(metrics.status, 200)
      assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
      const lines = metrics.text.split("\n")
      const value = (series: string) => {
        const line = lines.find((line) => line.startsWith(`${series} `))
        assert.isDefined(line, series)
        return Number(line?.slice(series.length + 1))
      }
      assert.isAtLeast(value('http_requests_total{method="POST",route="/openapi/v2/tasks",status="201"}'), 1)
      assert.isAtLeast(value('http_requests_total{method="GET",route="/openapi/v2/tasks/:task_id",status="200"}'), 1)
      assert.isAtLeast(value('http_requests_total{method="GET",route="/openapi/v2/tasks",status="429"}'), 1)
      assert.isAtLeast(value('http_rate_limited_total{limit="user"}'), 1)
      assert.strictEqual(value("http_open_event_streams"), 0)
      const statuses = lines.filter((line) => line.startsWith("tasks{"))
      assert.strictEqual(statuses.length, 1)
      const bucket = 'http_request_duration_seconds_bucket{route="/openapi/v2/tasks",le='
      assert.strictEqual(
        value(`${bucket}"+Inf"}`),
        value('http_request_duration_seconds_count{route="/openapi/v2/tasks"}')
      )
      assert.isAtMost(value(`${bucket}"0.001"}`), value(`${bucket}"10"}`))
      for (const line of lines) {
        assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+|)$/)
        for (const name of [taskId, "user_", "app_", "Loom", "Ada", token]) assert.notInclude(line, name)
      }
    })
  )

  it.scopedLive("serves metrics to this machine, to everyone or not at all", () =>
    Effect.gen(function* () {
      const status = (server: TestServer.TestServer, headers: Record<string, string> = {}) =>
        Effect.map(
          Raw.exchange(server, [
            Raw.head("GET", "/metrics", { host: "127.0.0.1:4310", connection: "close", ...headers })
          ]),
          (answer) => answer.status
        )
      const loopback = yield* TestServer.make()
      assert.strictEqual(yield* status(loopback), 200)
      for (const header of [
        "x-forwarded-for",
        "x-forwarded-proto",
        "X-Forwarded-Host",
        "forwarded",
        "via",
        "x-real-ip",
        "CF-Connecting-IP",
        "cf-ray"
      ]) {
        assert.strictEqual(yield* status(loopback, { [header]: "127.0.0.1" }), 404, header)
      }
      for (const host of ["localhost", "LOCALHOST:4310", "[::1]:4310", "heddle.localhost", "127.0.0.2"]) {
        assert.strictEqual(yield* status(loopback, { host }), 200, host)
      }
      // A proxy that says nothing of itself, and a page whose name was made to mean this machine.
      for (const host of [
        "tasks.example.com",
        "rebound.example:4310",
        "127.0.0.1.example.com",
        "localhost.example",
        ""
      ]) {
        assert.strictEqual(yield* status(loopback, { host }), 404, host)
      }
      const old = yield* Raw.exchange(loopback, ["GET /metrics HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n"])
      assert.strictEqual(old.status, 404)
      const trusting = yield* TestServer.make({ trustProxy: true })
      assert.strictEqual(yield* status(trusting, { "x-forwarded-for": "127.0.0.1" }), 404)
      const everyone = yield* TestServer.make({ metrics: "everyone" })
      assert.strictEqual(yield* status(everyone, { "x-forwarded-for": "198.51.100.1" }), 200)
      assert.strictEqual(yield* status(yield* TestServer.make({ metrics: "off" })), 404)
    })
  )
})
