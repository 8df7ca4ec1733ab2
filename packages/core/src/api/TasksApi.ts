import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Conflict, NotFound } from "../OpenApiError.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { tasks } from "./Endpoints.ts"
import { JsonBodyError } from "./Errors.ts"

/** Cloud tasks on the wire (contract 4.9–4.11). */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.post("create", tasks.create.path)
      .setPayload(tasks.create.payload)
      .setHeaders(tasks.create.headers)
      .addSuccess(tasks.create.success, { status: 201 })
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
    HttpApiEndpoint.get("list", tasks.list.path)
      .setUrlParams(tasks.list.urlParams)
      .addSuccess(tasks.list.success)
      .annotate(RequiredScope, "user.task.readable")
      .annotate(OpenApi.Summary, "List tasks, newest first")
  )
  .add(
    HttpApiEndpoint.get("get", tasks.get.path)
      .setPath(tasks.get.params)
      .addSuccess(tasks.get.success)
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
    HttpApiEndpoint.get("agents", tasks.agents.path)
      .addSuccess(tasks.agents.success)
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
