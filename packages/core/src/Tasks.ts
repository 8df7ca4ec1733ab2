import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NewTask, Task, TaskId, TaskPage } from "./domain/Task.ts"
import type { OpenApiError } from "./OpenApiError.ts"

/** Cloud tasks (4.9–4.11) of the user whose {@link AccessToken} is in context. */
export class Tasks extends Context.Tag("@heddle/core/Tasks")<
  Tasks,
  {
    /** Creates a task; needs `user.task.invokable`. With an idempotency key a lost answer is retried safely, without one it fails as `OutcomeUnknown`. */
    readonly create: (
      task: NewTask,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<Task, OpenApiError>
    /** Reads a task with a fresh link and token; needs `user.task.readable`. */
    readonly get: (taskId: TaskId) => Effect.Effect<Task, OpenApiError>
    /** Reads one page of the user's tasks, newest first; `page` from 1, `size` 1–100. */
    readonly list: (options?: {
      readonly page?: number
      readonly size?: number
    }) => Effect.Effect<TaskPage, OpenApiError>
  }
>() {}
