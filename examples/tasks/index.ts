// Starts two tasks and lists all of the user's tasks, with a token that you already have:
//   HEDDLE_BASE_URL=http://127.0.0.1:4310 HEDDLE_ACCESS_TOKEN=… node index.js
import { FetchHttpClient } from "@effect/platform"
import { AccessToken, OpenApiClient, Tasks } from "@heddle/core"
import { NewTask } from "@heddle/core/domain/Task"
import { Config, Console, Effect, Layer, Stream } from "effect"

const program = Effect.gen(function* () {
  const tasks = yield* Tasks.Tasks
  yield* tasks.create(new NewTask({ prompt: "How long is this sentence?" }))
  yield* tasks.create(new NewTask({ prompt: "And this one?", name: "Second" }))
  const names = yield* Stream.runCollect(Stream.map(tasks.all, (task) => task.name ?? task.taskId))
  yield* Console.log(`${names.length} tasks: ${[...names].join(", ")}`)
}).pipe(
  Effect.catchTag("InsufficientScope", (error) =>
    Console.error(`This token may not do that. Authorize again with ${error.required.join(" ")}.`)
  )
)

const live = Layer.unwrapEffect(
  Effect.gen(function* () {
    const baseUrl = yield* Config.string("HEDDLE_BASE_URL")
    const token = yield* Config.redacted("HEDDLE_ACCESS_TOKEN")
    return Tasks.layer.pipe(
      Layer.provide(OpenApiClient.layer({ baseUrl })),
      Layer.provide(AccessToken.layer(token)),
      Layer.provide(FetchHttpClient.layer)
    )
  })
)

await Effect.runPromise(Effect.provide(program, live))
