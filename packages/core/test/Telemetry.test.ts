import { assert, describe, it } from "@effect/vitest"
import * as AccessToken from "@heddle/core/AccessToken"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import * as Metrics from "@heddle/core/Metrics"
import * as Tasks from "@heddle/core/Tasks"
import * as Transport from "@heddle/core/Transport"
import * as Users from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import * as Memory from "./Memory.ts"
import * as Recorder from "./Recorder.ts"

const { profile } = Memory

/** Runs a program with its spans and logs recorded while five minutes go by. */
const observe = <A, E>(
  program: Effect.Effect<A, E, Tasks.Tasks | Users.Users>,
  reply: Memory.Reply,
  token?: Layer.Layer<AccessToken.AccessToken>
) =>
  Effect.gen(function* () {
    const around = (call: Effect.Effect<A, E>) => Recorder.record(Effect.either(call))
    const { result: recorded, seen } = yield* Memory.run(program, { reply, token, minutes: 5, around })
    const attempts = recorded.spans
      .filter(({ name }) => name === "OpenApi.attempt")
      .map(({ attributes }) => Object.fromEntries(attributes))
    return { ...recorded, attempts, seen }
  })

describe("spans", () => {
  it.effect("have operation, attempt, status, request id and the reason of a retry, and no more", () =>
    Effect.gen(function* () {
      const token = Layer.succeed(AccessToken.AccessToken, {
        current: Effect.succeed(Redacted.make("token-one")),
        renew: () => Effect.succeed(Redacted.make("token-two"))
      })
      const answers = [Memory.json(503), Memory.json(401), Memory.json(200, {}, { "x-request-id": "r-3" })]
      const { attempts, spans } = yield* observe(profile, (_, nth) => answers[nth - 1]!, token)
      const operation = "user.profile"
      assert.deepStrictEqual(attempts, [
        { operation, attempt: 1, status: 503 },
        { operation, attempt: 2, status: 401, retry: "ServiceFailure" },
        { operation, attempt: 3, status: 200, request_id: "r-3", retry: "InvalidToken" }
      ])
      assert.notInclude(inspect(spans, { depth: 9 }), "token-")
    })
  )

  it.effect("are made for each tracer, below the span of the caller", () =>
    Effect.gen(function* () {
      const id = TaskId.make("task_1")
      const calls = Effect.flatMap(Tasks.Tasks, (tasks) =>
        Effect.all([tasks.get(id), tasks.list(), tasks.create(new NewTask({ prompt: "x" })), tasks.agents, profile], {
          mode: "either"
        })
      ).pipe(Effect.withSpan("caller"))
      const { spans } = yield* observe(calls, () => Memory.json(400))
      const names = ["Tasks.get", "Tasks.list", "Tasks.create", "Tasks.agents", "Users.profile"]
      assert.deepStrictEqual(
        spans.map(({ name, parent }) => [name, parent]),
        [
          ["caller", undefined],
          ...names.flatMap((name) => [
            [name, "caller"],
            ["OpenApi.attempt", name]
          ])
        ]
      )
      assert.isTrue(spans.every(({ exit }) => exit !== undefined))
    })
  )

  it.effect("hold no address, query or identifier", () =>
    Effect.gen(function* () {
      const program = Effect.flatMap(Tasks.Tasks, (tasks) =>
        Effect.all([tasks.list({ page: 4711 }), tasks.get(TaskId.make("private-id"))], { mode: "either" })
      )
      const { spans } = yield* observe(program, () => Memory.json(404))
      const text = inspect(spans, { depth: 9 })
      for (const part of ["example.com", "4711", "private-id", "/openapi/"]) assert.notInclude(text, part)
    })
  )
})

describe("metrics", () => {
  const counted = (metric: Metric.Metric.Counter<number>, tags: Record<string, string>) =>
    Effect.map(
      Metric.value(Object.entries(tags).reduce((each, [key, value]) => Metric.tagged(each, key, value), metric)),
      ({ count }) => count
    )

  it.effect("count attempts by outcome, renewals, and the time waited after 429", () =>
    Effect.gen(function* () {
      const operation = "tasks.create"
      const read = Effect.all({
        limited: counted(Metrics.attempts, { operation, outcome: "RateLimited" }),
        refused: counted(Metrics.attempts, { operation, outcome: "InvalidToken" }),
        succeeded: counted(Metrics.attempts, { operation, outcome: "Success" }),
        renewed: counted(Metrics.renewals, { operation }),
        waited: Effect.map(
          Metric.value(Metric.tagged(Metrics.rateLimitWaits, "operation", operation)),
          ({ sum }) => sum
        )
      })
      const before = yield* read
      const token = Layer.succeed(AccessToken.AccessToken, {
        current: Effect.succeed(Redacted.make("one")),
        renew: () => Effect.succeed(Redacted.make("two"))
      })
      const answers = [
        Memory.json(429, {}, { "retry-after": "8" }),
        Memory.json(401),
        Memory.json(201, { task_id: "t", status: "idle" })
      ]
      const create = Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" })))
      yield* observe(create, (_, nth) => answers[nth - 1]!, token)
      const after = yield* read
      assert.strictEqual(after.limited - before.limited, 1)
      assert.strictEqual(after.refused - before.refused, 1)
      assert.strictEqual(after.succeeded - before.succeeded, 1)
      assert.strictEqual(after.renewed - before.renewed, 1)
      assert.isAtLeast(after.waited - before.waited, 8_000)
      assert.isAtMost(after.waited - before.waited, 10_000)
    })
  )

  it.effect("count every deprecation, and log the first of each operation (contract decision 27)", () =>
    Effect.gen(function* () {
      const operation = "user.profile"
      const before = yield* counted(Metrics.deprecations, { operation })
      const headers = { deprecation: "@1767225600", sunset: "Thu, 31 Dec 2026 23:59:59 GMT" }
      const { logs } = yield* observe(Effect.repeatN(profile, 2), () => Memory.json(200, {}, headers))
      assert.lengthOf(logs, 1)
      assert.include(logs[0]?.message, operation)
      assert.deepInclude(logs[0]?.annotations, headers)
      assert.strictEqual((yield* counted(Metrics.deprecations, { operation })) - before, 3)
    })
  )
})

describe("the user agent", () => {
  const agentOf = (options: { readonly userAgent?: string } = {}) =>
    Effect.gen(function* () {
      const { httpClient, seen } = Memory.make(() => Memory.json(200))
      yield* Effect.provide(profile, Memory.services(httpClient, options))
      return seen[0]?.request.headers["user-agent"]
    })

  it.effect("names this version, or the name of the caller", () =>
    Effect.gen(function* () {
      const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
      assert.strictEqual(yield* agentOf(), `heddle-core/${version}`, "src/internal/Version.ts is behind package.json")
      assert.strictEqual(Transport.defaultUserAgent, `heddle-core/${version}`)
      assert.strictEqual(yield* agentOf({ userAgent: "mine/1" }), "mine/1")
    })
  )

  it.effect("is left to the browser where there is one", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(globalThis, { document: {} })),
        () => Effect.sync(() => Reflect.deleteProperty(globalThis, "document"))
      )
      assert.isUndefined(yield* agentOf())
      assert.strictEqual(yield* agentOf({ userAgent: "mine/1" }), "mine/1")
    }).pipe(Effect.scoped)
  )
})
