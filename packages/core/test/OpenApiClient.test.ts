import { FetchHttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as AccessToken from "@heddle/core/AccessToken"
import * as Credits from "@heddle/core/Credits"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Tasks from "@heddle/core/Tasks"
import * as Transport from "@heddle/core/Transport"
import * as Users from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { inspect } from "node:util"
import * as Memory from "./Memory.ts"
import * as Service from "./Service.ts"

const { profile } = Memory

const secret = "oa_at_first_0123456789"

const http = { fetch: FetchHttpClient.layer, node: NodeHttpClient.layer, undici: NodeHttpClient.layerUndici }

const client = (
  baseUrl: string,
  options: {
    readonly token?: Layer.Layer<AccessToken.AccessToken>
    readonly http?: keyof typeof http
    readonly allowInsecure?: boolean
  } = {}
) =>
  Layer.mergeAll(Tasks.layer, Users.layer, Credits.layer).pipe(
    Layer.provide(OpenApiClient.layer({ baseUrl, allowInsecure: options.allowInsecure ?? false })),
    Layer.provide(options.token ?? AccessToken.layer(Redacted.make(secret))),
    Layer.provide(http[options.http ?? "node"])
  )

const id = TaskId.make("t 1/ü?")
const task = { task_id: id, status: "CREATING", extra: 1 }

describe.each(["fetch", "node", "undici"] as const)("over %s", (kind) => {
  it.live("speaks the contract", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ method, url }) => {
        switch (`${method} ${url}`) {
          case "GET /base/openapi/v2/user/profile":
            return { status: 200, body: { nickname: "Ada", avatar: null, unknown: {} } }
          case "GET /base/openapi/v2/credit":
            return {
              status: 200,
              body: { code: 0, msg: "success", data: { total_capacity_size: "10", total_capacity_used: 3 } }
            }
          case "POST /base/openapi/v2/tasks":
            return { status: 200, body: task }
          case "GET /base/openapi/v2/tasks?page=2&size=5":
            return { status: 200, body: { tasks: [task], total: 6, pagination: { page: 2, size: 5, total: 6 } } }
          case "GET /base/openapi/v2/tasks/t%201%2F%C3%BC%3F":
            return {
              status: 200,
              body: { ...task, status: "new-word", link: null, token: secret, expire_at: "1800000000" }
            }
          default:
            return { status: 404 }
        }
      })
      yield* Effect.gen(function* () {
        const profile = yield* (yield* Users.Users).profile
        assert.deepStrictEqual({ ...profile }, { nickname: "Ada" })
        assert.deepStrictEqual({ ...(yield* (yield* Credits.Credits).quota) }, { total: 10, used: 3 })
        const tasks = yield* Tasks.Tasks
        const created = yield* tasks.create(new NewTask({ prompt: "Hi" }), { idempotencyKey: "k-1" })
        assert.strictEqual(created.status, "creating")
        assert.strictEqual((yield* tasks.list({ page: 2, size: 5 })).tasks[0]?.taskId, id)
        const got = yield* tasks.get(id)
        assert.strictEqual(got.status, "new-word")
        assert.strictEqual(got.expireAt, 1_800_000_000)
        assert.isUndefined(got.link)
        assert.notInclude(inspect(got) + JSON.stringify(got), secret)
      }).pipe(Effect.provide(client(`${service.url}/base/`, { http: kind })))
      for (const { headers } of service.seen) {
        assert.strictEqual(headers.authorization, `Bearer ${secret}`)
        assert.strictEqual(headers["user-agent"], Transport.defaultUserAgent)
        assert.isUndefined(headers["traceparent"])
        assert.isUndefined(headers["b3"])
      }
      const create = service.seen.find(({ method }) => method === "POST")
      assert.deepStrictEqual(JSON.parse(create?.body ?? ""), { prompt: "Hi" })
      assert.strictEqual(create?.headers["idempotency-key"], "k-1")
    }).pipe(Effect.withSpan("outer"), Effect.scoped)
  )

  it.live("never follows a redirect with its token", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status: 307, headers: { location: "/elsewhere" } }))
      const error = yield* Effect.flip(Effect.provide(profile, client(service.url, { http: kind })))
      assert.propertyVal(error, "_tag", "UnexpectedStatus")
      assert.propertyVal(error, "status", 307)
      assert.lengthOf(service.seen, 1)
    }).pipe(Effect.scoped)
  )

  it.live("distinguishes a write that may have been received from one that was not sent", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => (response) => response.destroy())
      const create = Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" })))
      const error = yield* Effect.flip(Effect.provide(create, client(service.url, { http: kind })))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.lengthOf(service.seen, 1)
    }).pipe(Effect.scoped)
  )

  it.live("closes the connection when its caller is interrupted", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => () => undefined)
      const asked = once(service.server, "request")
      const fiber = yield* Effect.fork(Effect.provide(profile, client(service.url, { http: kind })))
      const [, response] = yield* Effect.promise(() => asked)
      const closed = once(response, "close")
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.scoped)
  )
})

describe("errors", () => {
  it.live("names the path of a broken field, and never its value", () =>
    Effect.gen(function* () {
      const bodies: ReadonlyArray<readonly [path: string, body: unknown]> = [
        ["status", { task_id: "t", status: 7, token: secret }],
        ["token", { task_id: "t", status: "idle", token: { secret } }],
        ["expire_at", { task_id: "t", status: "idle", expire_at: 2 ** 60 }],
        ["task_id", { status: "idle" }],
        ["body", '{"task_id":'],
        ["body", "<html>"],
        ["body", ""]
      ]
      const service = yield* Service.make((_, nth) => ({ status: 200, body: bodies[nth - 1]?.[1] }))
      yield* Effect.gen(function* () {
        const tasks = yield* Tasks.Tasks
        for (const [path] of bodies) {
          const error = yield* Effect.flip(tasks.get(id))
          assert.strictEqual(error._tag, "ContractViolation")
          assert.propertyVal(error, "path", path)
          assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.message, secret)
        }
      }).pipe(Effect.provide(client(service.url)))
    }).pipe(Effect.scoped)
  )

  it.live("reports an envelope that carries a failure with status 200 (contract decision 7)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({
        status: 200,
        body: { code: 7, msg: "odd", request_id: "r", data: null }
      }))
      const error = yield* Effect.flip(Effect.provide(profile, client(service.url)))
      assert.deepInclude(
        { ...error },
        {
          _tag: "EnvelopeError",
          code: "7",
          description: "odd",
          requestId: "r",
          status: 200
        }
      )
    }).pipe(Effect.scoped)
  )

  it.live("keeps the status of an answer whose body breaks off", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => (response) => {
        response.writeHead(403, { "content-length": "1000" })
        response.write('{"error":"access_', () => response.destroy())
      })
      const error = yield* Effect.flip(Effect.provide(profile, client(service.url)))
      assert.strictEqual(error._tag, "AccessDenied")
    }).pipe(Effect.scoped)
  )

  it.live("reads only a part of an endless error", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => (response) => {
        response.writeHead(400)
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
          if (!response.destroyed) response.once("drain", more)
        }
        more()
      })
      const error = yield* Effect.flip(Effect.provide(profile, client(service.url)))
      assert.strictEqual(error._tag, "InvalidRequest")
    }).pipe(Effect.scoped)
  )

  it.live("shows no credential in any error, though the service echoes it", () =>
    Effect.gen(function* () {
      const statuses = [400, 401, 403, 404, 409, 418, 501]
      const service = yield* Service.make(({ headers }, nth) => ({
        status: statuses[(nth - 1) % statuses.length] ?? 400,
        body: { error: headers.authorization, error_description: `you sent ${headers.authorization}` }
      }))
      yield* Effect.gen(function* () {
        const users = yield* Users.Users
        for (const _ of statuses) {
          const exit = yield* Effect.exit(users.profile)
          assert.isTrue(exit._tag === "Failure")
          assert.notInclude(inspect(exit, { depth: 20 }) + JSON.stringify(exit) + String(exit), "short")
        }
      }).pipe(Effect.provide(client(service.url, { token: AccessToken.layer(Redacted.make("short")) })))
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a base URL that would expose the token", () =>
    Effect.gen(function* () {
      for (const url of ["http://example.com", "ftp://x", "example.com", "https://u:p@x.y", "https://x.y?q", ""]) {
        const error = yield* Effect.flip(Layer.build(client(url)))
        assert.strictEqual(error._tag, "InvalidBaseUrl")
        assert.notInclude(error.message, "u:p")
      }
      for (const url of ["http://localhost:1/", "http://[::1]:1", "https://example.com/prefix/"]) {
        yield* Layer.build(client(url))
      }
      yield* Layer.build(client("http://example.com", { allowInsecure: true }))
    }).pipe(Effect.scoped)
  )

  it.live("asks below the path of the base URL, with and without a slash at its end", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status: 200, body: task }))
      for (const end of ["", "/", "/prefix", "/prefix/"])
        yield* Effect.provide(
          Effect.flatMap(Tasks.Tasks, (tasks) => tasks.get(TaskId.make("t"))),
          client(service.url + end)
        )
      assert.deepStrictEqual(
        service.seen.map(({ url }) => url),
        ["", "", "/prefix", "/prefix"].map((prefix) => `${prefix}/openapi/v2/tasks/t`)
      )
    }).pipe(Effect.scoped)
  )
})

describe("Tasks", () => {
  it.live("streams every task once while tasks move between pages", () =>
    Effect.gen(function* () {
      const pages = [
        ["a", "b"],
        ["b", "c"],
        ["c", "d"]
      ]
      // The larger of the two totals counts (contract decision 82).
      for (const [total, totalOfPages] of [
        [4, 6],
        [6, 4],
        [6, 0]
      ]) {
        const service = yield* Service.make(({ url }) => {
          const page = Number(new URL(url, "http://x").searchParams.get("page"))
          return {
            status: 200,
            body: {
              tasks: (pages[page - 1] ?? []).map((task_id) => ({ task_id, status: "idle" })),
              total,
              pagination: { page, size: 2, total: totalOfPages }
            }
          }
        })
        const all = yield* Effect.provide(
          Effect.flatMap(Tasks.Tasks, (tasks) => Stream.runCollect(tasks.all)),
          client(service.url)
        )
        assert.deepStrictEqual(
          Array.from(all, (each) => String(each.taskId)),
          ["a", "b", "c", "d"]
        )
        assert.lengthOf(service.seen, 3)
      }
    }).pipe(Effect.scoped)
  )

  it.live("waits for link and token", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) => ({
        status: 200,
        body: nth === 1 ? task : { ...task, link: "https://x/acp", ...(nth === 2 ? {} : { token: "tk" }) }
      }))
      const channel = yield* Effect.provide(
        Effect.flatMap(Tasks.Tasks, (tasks) => tasks.awaitChannel(id)),
        client(service.url)
      )
      assert.strictEqual(channel.link, "https://x/acp")
      assert.strictEqual(Redacted.value(channel.token), "tk")
      assert.lengthOf(service.seen, 3)
    }).pipe(Effect.scoped)
  )

  it.live("gives the channel of a task whose execution failed, and waits for the token that is missing", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) => ({
        status: 200,
        body: { ...task, status: "failed", link: "l", ...(nth === 1 ? {} : { token: "t" }) }
      }))
      const channel = yield* Effect.provide(
        Effect.flatMap(Tasks.Tasks, (tasks) => tasks.awaitChannel(id)),
        client(service.url)
      )
      assert.strictEqual(channel.link, "l")
      assert.lengthOf(service.seen, 2)
    }).pipe(Effect.scoped)
  )

  it.live("stops waiting for a task that has ended", () =>
    Effect.gen(function* () {
      const channel = { link: "l", token: "t" }
      for (const [status, fields] of [
        ["failed", {}],
        ["deleted", channel],
        ["archived", channel]
      ] as const) {
        const service = yield* Service.make(() => ({ status: 200, body: { ...task, status, ...fields } }))
        const error = yield* Effect.flip(
          Effect.provide(
            Effect.flatMap(Tasks.Tasks, (tasks) => tasks.awaitChannel(id)),
            client(service.url)
          )
        )
        assert.deepInclude({ ...error }, { _tag: "ChannelUnavailable", status, reason: "ended" })
      }
    }).pipe(Effect.scoped)
  )
})

describe("clients for users", () => {
  it.scopedLive("send each user's own token", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ headers }) => ({
        status: 200,
        body: { nickname: headers.authorization ?? "nobody" }
      }))
      const clientOf = yield* OpenApiClient.makeForUsers({ baseUrl: service.url }).pipe(
        Effect.provide(NodeHttpClient.layer)
      )
      const nickname = (token: string) =>
        Effect.map(Users.Users, (users) => users.profile).pipe(
          Effect.flatten,
          Effect.map((profile) => profile.nickname),
          Effect.provide(
            Users.layer.pipe(
              Layer.provide(
                Layer.effect(OpenApiClient.OpenApiClient, Effect.map(AccessToken.AccessToken, clientOf)).pipe(
                  Layer.provide(AccessToken.layer(Redacted.make(token)))
                )
              )
            )
          )
        )
      const told = yield* Effect.all(["a", "b", "c"].map(nickname), { concurrency: "unbounded" })
      assert.deepStrictEqual(told, ["Bearer a", "Bearer b", "Bearer c"])
    })
  )
})
