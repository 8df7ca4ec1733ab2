import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Setting from "@heddle/command-line/Setting"
import { TaskId } from "@heddle/core/domain/Task"
import { knownStatuses } from "@heddle/core/domain/TaskStatus"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { allowedFrom, TaskStore } from "../tasks/TaskStore.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

const list = DataCommand.make(
  "list",
  "List the tasks, newest first",
  {
    user: Setting.optional("user", "Only tasks of this user_id"),
    app: Setting.optional("app", "Only tasks of this client_id"),
    status: Setting.choice("status", knownStatuses, "Only tasks in this status; all but deleted when left out")
  },
  Effect.fnUntraced(function* ({ app, status, user }, output) {
    const tasks = (yield* TaskStore).all(Setting.definedOnly({ userId: user, clientId: app, status }))
    yield* Stream.runForEach(tasks, (task) =>
      output.printItem({
        task_id: task.taskId,
        status: task.status,
        name: task.name,
        agent: task.agent,
        user_id: task.userId,
        client_id: task.clientId,
        created_at: new Date(task.createdAt).toISOString(),
        updated_at: new Date(task.updatedAt).toISOString()
      })
    )
  })
)

const closing = (verb: "archive" | "delete", to: "archived" | "deleted", description: string) =>
  DataCommand.make(
    verb,
    description,
    { taskId: Args.text({ name: "id" }) },
    Effect.fnUntraced(function* ({ taskId }, output) {
      const tasks = yield* TaskStore
      const id = Option.getOrUndefined(decodeTaskId(taskId))
      const task = id === undefined ? undefined : Option.getOrUndefined(yield* tasks.get(id))
      if (id === undefined || task === undefined) {
        return yield* new Failure({ message: `There is no task ${taskId}. See: heddle-server task list` })
      }
      const allowed = task.status === to || allowedFrom[to].includes(task.status)
      if (!allowed || !(yield* tasks.transition(id, to))) {
        return yield* new Failure({
          message: `The task ${taskId} is ${task.status}: only one that is ${allowedFrom[to].join(", ")} can be ${to}. Nothing was changed.`
        })
      }
      yield* output.print({ task_id: taskId, status: to })
      if (to === "deleted") yield* output.hint(removalHint)
    })
  )

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

const removalHint =
  "The service removes its history and its files: within seconds while it runs, else when it starts again."

const decodeTaskId = Schema.decodeUnknownOption(TaskId)
