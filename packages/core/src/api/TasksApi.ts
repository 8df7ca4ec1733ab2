import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { NewTask, Task, TaskId, TaskPage } from "../domain/Task.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { QueryWord } from "./Paging.ts"

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
      .setHeaders(Schema.Struct({ "idempotency-key": Schema.optional(Schema.String) }))
      .addSuccess(Task, { status: 201 })
      .annotate(RequiredScope, "user.task.invokable")
  )
  .add(
    HttpApiEndpoint.get("list", "/tasks")
      .setUrlParams(
        Schema.Struct({
          page: Schema.optional(QueryWord),
          size: Schema.optional(QueryWord)
        })
      )
      .addSuccess(TaskPage)
      .annotate(RequiredScope, "user.task.readable")
  )
  .add(
    HttpApiEndpoint.get("get", "/tasks/:task_id")
      .setPath(Schema.Struct({ task_id: TaskIdSegment }))
      .addSuccess(Task)
      .annotate(RequiredScope, "user.task.readable")
  )
  .middleware(Bearer) {}
