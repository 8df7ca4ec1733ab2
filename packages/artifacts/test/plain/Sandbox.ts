import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as AccessToken from "@heddle/core/AccessToken"
import { NewTask } from "@heddle/core/domain/Task"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Tasks from "@heddle/core/Tasks"
import { type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The artifacts of a task of a service that knows the document alone. */
export const startSandbox = (options: PlainServiceOptions = {}) =>
  Effect.gen(function* () {
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => startPlainService(options)),
      ({ stop }) => Effect.promise(stop)
    )
    const context = yield* Layer.build(
      Tasks.layer.pipe(
        Layer.provide(OpenApiClient.layer({ baseUrl: service.url })),
        Layer.provide(AccessToken.layer(Redacted.make(service.grant().access_token))),
        Layer.provide(FetchHttpClient.layer)
      )
    )
    const tasks = Context.get(context, Tasks.Tasks)
    const { taskId } = yield* tasks.create(new NewTask({ prompt: "one" }))
    const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
    const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
    return { artifacts, service, taskId, ticket }
  })
