import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as TaskReader from "@heddle/bot/access/TaskReader"
import * as AccessToken from "@heddle/core/AccessToken"
import { NewTask } from "@heddle/core/domain/Task"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import { Tasks } from "@heddle/core/Tasks"
import * as CoreTasks from "@heddle/core/Tasks"
import { type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** A service where each query of a task moves its link, and the tasks of one person there. */
const movingService = (options: PlainServiceOptions = {}) =>
  Effect.gen(function* () {
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => startPlainService({ linkMovesOnQuery: true, creatingMs: 0, ...options })),
      (started) => Effect.promise(started.stop)
    )
    const token = AccessToken.layer(Redacted.make(service.grant().access_token))
    const tasks = yield* Effect.provide(
      Tasks,
      CoreTasks.layer.pipe(
        Layer.provide(OpenApiClient.layer({ baseUrl: service.url })),
        Layer.provide([token, FetchHttpClient.layer])
      )
    )
    const create = Effect.map(tasks.create(new NewTask({ prompt: "hello" })), ({ taskId }) => taskId)
    const queries = (taskId: string) =>
      service.requests.filter(({ method, path }) => method === "GET" && path.endsWith(`/tasks/${taskId}`)).length
    /** Whether a channel can still be opened. */
    const isOpen = (channel: { readonly link: string; readonly token: Redacted.Redacted }) =>
      Effect.promise(async () => {
        const headers = { Authorization: `Bearer ${Redacted.value(channel.token)}`, Accept: "text/event-stream" }
        const response = await fetch(channel.link, { headers })
        await response.body?.cancel()
        return response.status === 200
      })
    return { tasks, create, queries, isOpen }
  })

describe("TaskReader", () => {
  for (const taskOrder of ["newestFirst", "oldestFirst"] as const)
    it.scopedLive(`leaves the channel of a task open that is far down the list (${taskOrder})`, () =>
      Effect.gen(function* () {
        const { create, isOpen, queries, tasks } = yield* movingService({ taskOrder })
        const created = yield* Effect.replicateEffect(create, 101)
        const reader = TaskReader.make(tasks)
        for (const taskId of [created.at(0)!, created.at(-1)!]) {
          const channel = yield* reader.awaitChannel(taskId)
          const before = queries(taskId)
          assert.strictEqual((yield* reader.read(taskId)).taskId, taskId)
          assert.isTrue(yield* isOpen(channel))
          assert.strictEqual(queries(taskId), before)
        }
      })
    )

  it.scopedLive("leaves both channels open that two readers open at once", () =>
    Effect.gen(function* () {
      const { create, isOpen, tasks } = yield* movingService()
      const [one, other] = [TaskReader.make(tasks), TaskReader.make(tasks)]
      const [first, second, third] = [yield* create, yield* create, yield* create]
      const channels = yield* Effect.all(
        [one.awaitChannel(first), one.awaitChannel(second), other.awaitChannel(third)],
        { concurrency: "unbounded" }
      )
      yield* Effect.all([other.read(third), one.read(second), one.read(first), one.read(third)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* Effect.forEach(channels, isOpen), [true, true, true])
    })
  )
})
