import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as Effect from "effect/Effect"
import * as Refuse from "../internal/Refuse.ts"
import { Tasks } from "../Tasks.ts"

/** Cloud tasks (4.9–4.11). */
export const layer = HttpApiBuilder.group(OpenApi, "tasks", (handlers) =>
  Effect.gen(function* () {
    const tasks = yield* Tasks
    return handlers
      .handle("create", ({ headers, payload, request }) =>
        Effect.gen(function* () {
          // The platform would read a form as well.
          if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "application/json")) {
            return yield* Refuse.unexpected(415, "The body must be application/json.")
          }
          const task = yield* tasks.create(yield* CurrentGrant, payload, headers["idempotency-key"])
          yield* HttpApp.appendPreResponseHandler((_request, response) =>
            Effect.succeed(
              HttpServerResponse.setHeader(response, "location", `/openapi/v2/tasks/${encodeURIComponent(task.taskId)}`)
            )
          )
          return task
        })
      )
      .handle("list", ({ urlParams: { page, size } }) =>
        Effect.flatMap(CurrentGrant, (owner) => tasks.list(owner, { page, size }))
      )
      .handle("get", ({ path }) => Effect.flatMap(CurrentGrant, (owner) => tasks.get(owner, path.task_id)))
  })
)
