import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { TaskId } from "@heddle/core/domain/Task"
import { known } from "@heddle/core/domain/TaskStatus"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Administration from "../Administration.ts"
import { reachedFrom, TaskStore } from "../tasks/TaskStore.ts"
import { Failure } from "./Failure.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const list = Command.make(
  "list",
  {
    user: Setting.text("user", "Only tasks of this user_id"),
    app: Setting.text("app", "Only tasks of this client_id"),
    status: Setting.choice("status", known, "Only tasks in this status; all but deleted when left out"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ app, data, json, status, user }) =>
    Effect.gen(function* () {
      const tasks = (yield* TaskStore).all({
        ...(Option.isSome(user) ? { userId: user.value } : {}),
        ...(Option.isSome(app) ? { clientId: app.value } : {}),
        ...(Option.isSome(status) ? { status: status.value } : {})
      })
      yield* Stream.runForEach(tasks, (task) =>
        Effect.gen(function* () {
          yield* Output.print(json, {
            task_id: task.taskId,
            status: task.status,
            name: task.name,
            user_id: task.userId,
            client_id: task.clientId,
            created_at: new Date(task.createdAt).toISOString(),
            updated_at: new Date(task.updatedAt).toISOString()
          })
          if (!json) yield* Output.blankLine
        })
      )
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("List the tasks, newest first"))

const closing = (verb: "archive" | "delete", to: "archived" | "deleted", description: string) =>
  Command.make(
    verb,
    { taskId: Args.text({ name: "id" }), data: Setting.dataDir, json: Setting.json },
    ({ data, json, taskId }) =>
      Effect.gen(function* () {
        const tasks = yield* TaskStore
        const id = Option.getOrUndefined(decodeTaskId(taskId))
        const task = id === undefined ? undefined : Option.getOrUndefined(yield* tasks.get(id))
        if (id === undefined || task === undefined) {
          return yield* new Failure({ reason: `There is no task ${taskId}. See: heddle-server task list` })
        }
        const allowed = task.status === to || reachedFrom[to].includes(task.status)
        if (!allowed || !(yield* tasks.transition(id, to))) {
          return yield* new Failure({
            reason: `The task ${taskId} is ${task.status}: only one that is ${reachedFrom[to].join(", ")} can be ${to}. Nothing was changed.`
          })
        }
        yield* Output.print(json, { task_id: taskId, status: to })
      }).pipe(Effect.provide(Administration.layer(data)))
  ).pipe(Command.withDescription(description))

const archive = closing(
  "archive",
  "archived",
  "Archive a task that rests: it stays listed and can be read, without a channel"
)

const remove = closing("delete", "deleted", "Delete a task whatever it does: its agent ends, its user sees it no more")

/** `task list | archive | delete`: the tasks of all users. */
export const command = Command.make("task").pipe(
  Command.withDescription("List, archive and delete tasks"),
  Command.withSubcommands([list, archive, remove])
)

const decodeTaskId = Schema.decodeUnknownOption(TaskId)
