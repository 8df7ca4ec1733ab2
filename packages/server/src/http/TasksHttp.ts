import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { OfferedAgent, OfferedAgents } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { Tasks } from "../tasks/Tasks.ts"

/** Cloud tasks (contract 4.9–4.11). */
export const layer = HttpApiBuilder.group(OpenApi, "tasks", (handlers) =>
  Effect.gen(function* () {
    const tasks = yield* Tasks
    const { agents, contract } = yield* ServerConfig
    const applyStatusCase =
      contract.statusCase === "lower" ? HttpApp.appendPreResponseHandler(lowerCaseStatus) : Effect.void
    return handlers
      .handle("create", ({ headers, payload }) =>
        Effect.gen(function* () {
          yield* applyStatusCase
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
        Effect.zipRight(
          applyStatusCase,
          Effect.flatMap(CurrentGrant, (owner) => tasks.list(owner, { page, size }))
        )
      )
      .handle("get", ({ path }) =>
        Effect.zipRight(
          applyStatusCase,
          Effect.flatMap(CurrentGrant, (owner) => tasks.get(owner, path.task_id))
        )
      )
      .handle("agents", () =>
        Effect.succeed(new OfferedAgents({ agents: agents.map(({ name }) => new OfferedAgent({ name })) }))
      )
  })
)

/**
 * Writes the status CREATING in lower case like all others. No string value in a JSON text can match the pattern.
 */
const lowerCaseStatus = (_request: unknown, response: HttpServerResponse.HttpServerResponse) =>
  Effect.sync(() =>
    response.body._tag === "Uint8Array"
      ? HttpServerResponse.setBody(
          response,
          HttpBody.text(
            new TextDecoder().decode(response.body.body).replaceAll('"status":"CREATING"', '"status":"creating"'),
            response.body.contentType
          )
        )
      : response
  )
