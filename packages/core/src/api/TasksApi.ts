import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { NewTask, OfferedAgents, Task, TaskId, TaskPage } from "../domain/Task.ts"
import { Conflict, NotFound } from "../OpenApiError.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { JsonBodyError } from "./Errors.ts"
import { IdempotencyKeyHeader } from "./IdempotencyKeyHeader.ts"
import { pageSize, wholeNumber } from "./Paging.ts"

/** A task id as a path segment: the client percent-encodes it, the router has already decoded it. */
const TaskIdSegment = Schema.transform(Schema.String, TaskId, {
  strict: true,
  decode: (segment) => segment,
  encode: encodeURIComponent
})

/** Cloud tasks on the wire (contract 4.9–4.11). */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.post("create", "/tasks")
      .setPayload(NewTask)
      .setHeaders(IdempotencyKeyHeader)
      .addSuccess(Task, { status: 201 })
      .addError(JsonBodyError)
      .addError(Conflict)
      .annotate(RequiredScope, "user.task.invokable")
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a task",
          description:
            "The service runs the prompt itself. `link` and `token` may be missing at first: read the task again."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/tasks")
      .setUrlParams(
        Schema.Struct({
          page: wholeNumber({ minimum: 1, default: 1 }, "A value that is not a whole number from 1 means 1."),
          size: pageSize
        })
      )
      .addSuccess(TaskPage)
      .annotate(RequiredScope, "user.task.readable")
      .annotate(OpenApi.Summary, "List tasks, newest first")
  )
  .add(
    HttpApiEndpoint.get("get", "/tasks/:task_id")
      .setPath(Schema.Struct({ task_id: TaskIdSegment }))
      .addSuccess(Task)
      .addError(NotFound)
      .annotate(RequiredScope, "user.task.readable")
      .annotateContext(
        OpenApi.annotations({
          summary: "Read a task with its link and token",
          description: "Read the task again before `expire_at` to renew the token."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("agents", "/agents")
      .addSuccess(OfferedAgents)
      .annotate(RequiredScope, "user.task.invokable")
      .annotateContext(
        OpenApi.annotations({
          summary: "List the agents that a new task can have",
          description: "An extension. The first one is the default."
        })
      )
  )
  .annotate(OpenApi.Description, "Cloud tasks, and the way to their ACP channel.")
  .middleware(Bearer) {}
