import { assert, describe, it } from "@effect/vitest"
import { NewTask, Task, TaskId } from "@heddle/core/domain/Task"
import { OpenApiClient } from "@heddle/core/OpenApiClient"
import type * as Reconciliation from "@heddle/core/Reconciliation"
import * as Tasks from "@heddle/core/Tasks"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Client from "./Client.ts"
import * as Memory from "./Memory.ts"
import * as Service from "./Service.ts"

const since = Date.UTC(2026, 0, 1, 12)
const at = (seconds: number, offset = "Z") => new Date(since + seconds * 1000).toISOString().replace("Z", offset)

interface Item {
  readonly task_id: string
  readonly name?: string
  readonly created_at?: string
}

const listing = (items: ReadonlyArray<Item>) =>
  Service.make(({ url }) => {
    const { page, size } = Object.fromEntries(new URL(url, "http://x").searchParams)
    const from = (Number(page) - 1) * Number(size)
    const tasks = items.slice(from, from + Number(size)).map((item) => ({ status: "working", ...item }))
    const total = items.length
    return { status: 200, body: { tasks, total, pagination: { page: Number(page), size: Number(size), total } } }
  })

const reconcile = (items: ReadonlyArray<Item>, lost: Partial<Reconciliation.LostTask> = {}) =>
  Effect.gen(function* () {
    const service = yield* listing(items)
    const tasks = yield* Effect.provide(Tasks.Tasks, Client.layer(service.url))
    const found = yield* tasks.reconcile({ prompt: "Summarize the last release\nin a table", since, ...lost })
    return {
      task: Option.getOrUndefined(Option.map(found.task, ({ taskId }) => String(taskId))),
      candidates: found.candidates.map(({ taskId }) => String(taskId)),
      requests: service.seen.length
    }
  }).pipe(Effect.scoped)

describe("reconcile", () => {
  it.live("finds the task whose creation got no answer", () =>
    Effect.gen(function* () {
      const created: Array<Item> = [{ task_id: "before", name: "Report", created_at: at(-3600) }]
      const service = yield* Service.make(({ method, body }) => {
        if (method === "GET") {
          return {
            status: 200,
            body: {
              tasks: created.map((item) => ({ status: "idle", ...item })),
              total: 2,
              pagination: { page: 1, size: 100, total: 2 }
            }
          }
        }
        created.unshift({ task_id: "after", name: JSON.parse(body).name, created_at: new Date().toISOString() })
        return (response) => response.destroy()
      })
      const tasks = yield* Effect.provide(Tasks.Tasks, Client.layer(service.url))
      const task = new NewTask({ prompt: "Write it", name: "Report" })
      const sent = new Date()
      assert.strictEqual((yield* Effect.flip(tasks.create(task)))._tag, "OutcomeUnknown")
      const found = yield* tasks.reconcile({ prompt: task.prompt, name: task.name, since: sent })
      assert.strictEqual(Option.getOrUndefined(found.task)?.taskId, "after")
    }).pipe(Effect.scoped)
  )

  it.live("recognises a name that the service made from the prompt; the beginning alone makes a candidate", () =>
    Effect.gen(function* () {
      for (const [name, isCertain] of [
        ["Summarize the last release in a table", true],
        ["  Summarize the last release\nin a table ", true],
        ["Summarize the last release", false],
        ["Summarize the last…", false],
        ["  Summarize  the last rel...", false]
      ] as const) {
        const { candidates, task } = yield* reconcile([
          { task_id: "other", name: "Something else", created_at: at(2) },
          { task_id: "it", name, created_at: at(1) },
          { task_id: "old", name, created_at: at(-61) }
        ])
        assert.deepStrictEqual([task, candidates], [isCertain ? "it" : undefined, ["it"]], name)
      }
    })
  )

  it.live("returns several tasks, or one that matches by time or name alone, as candidates", () =>
    Effect.gen(function* () {
      const named = { name: "Report", created_at: at(1) }
      assert.deepInclude(
        yield* reconcile(
          [
            { task_id: "a", ...named },
            { task_id: "b", ...named }
          ],
          { name: "Report" }
        ),
        { task: undefined, candidates: ["a", "b"] }
      )
      assert.deepInclude(yield* reconcile([{ task_id: "a", name: "Report" }], { name: "Report" }), {
        task: undefined,
        candidates: ["a"]
      })
      assert.deepInclude(yield* reconcile([{ task_id: "a", name: "A clever title", created_at: at(1) }]), {
        task: undefined,
        candidates: ["a"]
      })
      assert.deepInclude(yield* reconcile([{ task_id: "a", name: "Sum", created_at: at(1) }]), {
        task: undefined,
        candidates: ["a"]
      })
      assert.deepInclude(yield* reconcile([{ task_id: "a", name: "Other", created_at: at(1) }], { name: "Report" }), {
        task: undefined,
        candidates: []
      })
    })
  )

  it.live("excludes known tasks", () =>
    Effect.gen(function* () {
      const named = { name: "Report", created_at: at(1) }
      const found = yield* reconcile(
        [
          { task_id: "a", ...named },
          { task_id: "b", ...named }
        ],
        {
          name: "Report",
          except: [TaskId.make("a")]
        }
      )
      assert.strictEqual(found.task, "b")
    })
  )

  it.live("compares times at any offset, and allows for a slow clock", () =>
    Effect.gen(function* () {
      const name = "Report"
      const items = [
        {
          task_id: "east",
          name,
          created_at: `${at(8 * 3600 + 5)
            .slice(0, -5)
            .replace("T", " ")}+08`
        },
        { task_id: "skewed", name, created_at: at(-59) },
        { task_id: "untimed", name },
        { task_id: "old", name, created_at: at(-61) }
      ]
      assert.deepStrictEqual((yield* reconcile(items, { name })).candidates, ["east", "skewed", "untimed"])
      assert.deepStrictEqual((yield* reconcile(items, { name, clockSkew: "0 millis" })).candidates, ["east", "untimed"])
      assert.deepStrictEqual((yield* reconcile(items, { name, since: new Date(since) })).candidates.length, 3)
    })
  )

  it.live("reads pages until the tasks are too old, and all pages of an unsorted list", () =>
    Effect.gen(function* () {
      const name = "Report"
      const old = Array.from({ length: 250 }, (_, n) => ({ task_id: `o${n}`, name, created_at: at(-100 - n) }))
      const one = { task_id: "it", name, created_at: at(1) }
      const found = yield* reconcile([one, ...old], { name })
      assert.deepStrictEqual([found.task, found.requests], ["it", 2])
      const last = yield* reconcile([...old.toReversed(), one], { name })
      assert.deepStrictEqual([last.task, last.requests], ["it", 3])
    })
  )
})

describe("a task of a service that writes its optional fields always", () => {
  const task = { task_id: "t", status: "idle", link: "https://host/acp", token: "token", expire_at: "0" }
  const read = Effect.fnUntraced(function* (...answers: ReadonlyArray<object>) {
    const service = yield* Service.make((_, nth) => ({ status: 200, body: answers[nth - 1] ?? answers.at(-1) }))
    return { service, tasks: yield* Effect.provide(Tasks.Tasks, Client.layer(service.url)) }
  })

  it.scopedLive("has a channel once its token is not empty, and no end of the token where it is 0", () =>
    Effect.gen(function* () {
      const { service, tasks } = yield* read({ ...task, link: "", token: "" }, { ...task, token: "" }, task)
      const channel = yield* tasks.awaitChannel(TaskId.make("t"))
      assert.strictEqual(Redacted.value(channel.token), "token")
      assert.notProperty(channel, "expireAt")
      assert.lengthOf(service.seen, 3)
    })
  )

  it.scopedLive("has ended once it is failed and its link and token are empty", () =>
    Effect.gen(function* () {
      const { tasks } = yield* read({ ...task, status: "failed", link: "", token: "" })
      const error = yield* Effect.flip(tasks.awaitChannel(TaskId.make("t")))
      assert.deepInclude(error, { _tag: "ChannelUnavailable", reason: "ended" })
    })
  )
})

describe("agents", () => {
  const agentsAt = (status: number, body: object) =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status, body }))
      const tasks = yield* Effect.provide(Tasks.Tasks, Client.layer(service.url))
      return yield* Effect.either(tasks.agents)
    }).pipe(Effect.scoped)

  it.live("are those that the service lists, the default first", () =>
    Effect.gen(function* () {
      const agents = yield* agentsAt(200, { agents: [{ name: "codex", since: 1 }, { name: "claude" }] })
      assert(agents._tag === "Right")
      assert.deepStrictEqual(
        agents.right.map(({ name }) => name),
        ["codex", "claude"]
      )
    })
  )

  it.live("are none at a service that does not know the extension, and an error where it refuses", () =>
    Effect.gen(function* () {
      for (const status of [404, 405, 501]) {
        const agents = yield* agentsAt(status, { error: "not_found" })
        assert(agents._tag === "Right")
        assert.deepStrictEqual(agents.right, [])
      }
      const refused = yield* agentsAt(403, { error: "insufficient_scope" })
      assert(refused._tag === "Left")
      assert.strictEqual(refused.left._tag, "InsufficientScope")
    })
  )

  it.live("are named by a new task, and by the task itself", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ body }) => ({
        status: 201,
        body: { task_id: "t", status: "idle", agent: JSON.parse(body).agent }
      }))
      const tasks = yield* Effect.provide(Tasks.Tasks, Client.layer(service.url))
      assert.strictEqual((yield* tasks.create(new NewTask({ prompt: "x", agent: "codex" }))).agent, "codex")
      assert.isUndefined((yield* tasks.create(new NewTask({ prompt: "x" }))).agent)
    }).pipe(Effect.scoped)
  )
})

describe("awaitChannel", () => {
  it.effect("polls with growing waits and gives up after two minutes", () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      const starting = new Task({ taskId: TaskId.make("t"), status: "creating" })
      const client = Layer.succeed(OpenApiClient, {
        keepsIdempotencyKeys: Effect.succeed(false),
        call: <A>() =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            at.push(now)
            return starting as A
          })
      })
      const fiber = yield* Tasks.Tasks.pipe(
        Effect.flatMap((tasks) => Effect.flip(tasks.awaitChannel(starting.taskId))),
        Effect.provide(Layer.provide(Tasks.layer, client)),
        Effect.fork
      )
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude({ ...(yield* Fiber.join(fiber)) }, { reason: "timeout", status: "creating" })
      const waits = at.slice(1).map((each, n) => each - at[n]!)
      assert.strictEqual(waits[0], 500)
      assert.strictEqual(Math.max(...waits), 5_000)
      assert.deepStrictEqual(
        waits,
        [...waits].sort((a, b) => a - b)
      )
      assert.isAtMost(at.at(-1)!, Duration.toMillis("2 minutes"))
      assert.isAtLeast(at.at(-1)!, 110_000)
    })
  )

  it.effect("ends after two minutes, whenever the service starts to hang", () =>
    Effect.gen(function* () {
      for (const [hangs, status] of [
        [0, "unknown"],
        [60, "creating"],
        [89.9, "creating"],
        [100, "creating"]
      ] as const) {
        const began = yield* Clock.currentTimeMillis
        const { httpClient } = Memory.make(() =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            now - began >= hangs * 1000
              ? Effect.never
              : Effect.succeed(Memory.json(200, { task_id: "t", status: "CREATING" }))
          )
        )
        const fiber = yield* Tasks.Tasks.pipe(
          Effect.flatMap((tasks) => Effect.flip(tasks.awaitChannel(TaskId.make("t")))),
          Effect.zip(Clock.currentTimeMillis),
          Effect.provide(Memory.services(httpClient)),
          Effect.fork
        )
        yield* TestClock.adjust("5 minutes")
        const [error, ended] = yield* Fiber.join(fiber)
        assert.deepInclude({ ...error }, { _tag: "ChannelUnavailable", reason: "timeout", status }, `${hangs}`)
        // Waits are jittered by fractions of a millisecond, which do not add up exactly.
        assert.closeTo(ended - began, 120_000, 1, `${hangs}`)
        assert.include(error.message, "look again later")
      }
    })
  )
})
