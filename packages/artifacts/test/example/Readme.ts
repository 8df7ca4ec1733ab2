import { FetchHttpClient, FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { AcpSession, Ticket } from "@heddle/acp"
import { ArtifactIndex, Artifacts, PlanDiff, TaskProgress } from "@heddle/artifacts"
import { AccessToken, OpenApiClient, Tasks } from "@heddle/core"
import { NewTask } from "@heddle/core/domain/Task"
import { isBusy } from "@heddle/core/domain/TaskStatus"
import { Effect, Layer, Redacted, Stream } from "effect"

const program = Effect.gen(function* () {
  const tasks = yield* Tasks.Tasks
  const { taskId } = yield* tasks.create(new NewTask({ prompt: "Draw a chart of the last release" }))

  // The task's link and token, for its channel and its artifacts; fetched again when they are refused or about to end.
  const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
  const session = yield* AcpSession.open({ ticket, sessionId: taskId })
  const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)

  // The whole list first, then every change; read again after each reconnect.
  yield* artifacts.changes(session.changes, { sessionId: taskId }).pipe(
    Stream.runForEach((index) => Effect.log(ArtifactIndex.toArray(index).map(({ artifact }) => artifact.uri))),
    Effect.forkScoped
  )
  yield* session.awaitIdle(Effect.map(tasks.get(taskId), ({ status }) => isBusy(status)))

  const files = yield* FileSystem.FileSystem
  for (const entry of yield* artifacts.listAll({ sessionId: taskId })) {
    const { artifact } = entry
    if (artifact.type === "plan") yield* Effect.log(artifact.version, PlanDiff.of(artifact)?.hunks)
    if (artifact.type === "tasks") yield* Effect.log(TaskProgress.of(artifact).current?.content)
    if (artifact.type === "media") {
      const bytes = artifacts.download(entry, {
        maxBytes: 1_000_000_000,
        onProgress: ({ received, total }) => Effect.log(`${received} of ${total ?? "?"} bytes`)
      })
      // The agent chose the name: as it stands it could lead to another folder.
      yield* Stream.run(bytes, files.sink(encodeURIComponent(artifact.uri)))
    }
  }
})

const live = Tasks.layer.pipe(
  Layer.provide(OpenApiClient.layer({ baseUrl: "https://api.example.com" })),
  Layer.provide(AccessToken.layer(Redacted.make("an access token"))),
  Layer.provideMerge(FetchHttpClient.layer),
  Layer.provideMerge(NodeContext.layer)
)

program.pipe(Effect.scoped, Effect.provide(live), Effect.runPromise).catch(console.error)
