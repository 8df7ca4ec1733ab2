import { hasEnded, TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { transaction, type Store } from "../../store/database/Transaction.ts"
import type { Action } from "../../model/Access.ts"
import { Accounts } from "../../access/Accounts.ts"
import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import { tell } from "../../messages/Explain.ts"
import { Requests } from "../../store/Requests.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import type { Threads } from "../../store/Threads.ts"
import { type CommandHandler, say, startTask } from "../Command.ts"
import { requestOf } from "./TaskRequest.ts"
import { taskIdOption, suggestTasks, taskOption, threadOf } from "./TaskOption.ts"

/** `/task open`: links to a task's thread, or opens one for a task of the person's own account. */
export const TaskOpen: CommandHandler<Accounts | Requests | Store | Threads | TaskStart.Requirements> = {
  path: "task open",
  describe: ({ commands: { taskOpen } }) => ({
    description: taskOpen.description,
    options: [taskOption(taskOpen.task, true)]
  }),
  suggest: suggestTasks,
  answers: "privately",
  action: (event) =>
    Effect.map(
      openThread(event),
      Option.match({
        onNone: () => startTask(event.reply),
        onSome: (task): Action => ({ _tag: "Read", task })
      })
    ),
  handle: Effect.fn("TaskOpen.handle")(function* (event, messages) {
    const { reply } = event
    const thread = yield* openThread(event)
    if (Option.isSome(thread)) return Option.some(say(messages.openedBefore(thread.value.threadId)))
    const taskId = taskIdOption(event)
    if (taskId === undefined) return Option.some(say(messages.noTaskGiven))
    const accounts = yield* Accounts
    if (!(yield* accounts.isConnected(reply.userId))) return Option.some(say(messages.notConnected))
    // The service returns a task to its own account only.
    const task = yield* accounts.use(reply.userId, ({ taskReader }) => taskReader.read(TaskId.make(taskId)))
    if (hasEnded(task)) return Option.some(say(tell(messages, messages.failures.taskEnded)))
    const requests = yield* Requests
    const now = yield* Clock.currentTimeMillis
    const isAdded = yield* transaction(
      Effect.gen(function* () {
        if ((yield* requests.starting).some(({ taskId }) => taskId === task.taskId)) return false
        yield* requests.add(
          {
            ...(yield* requestOf(reply)),
            kind: "opened",
            prompt: "",
            name: task.name,
            attachments: [],
            state: "starting",
            acknowledged: true,
            taskId: task.taskId
          },
          now
        )
        return true
      })
    )
    if (!isAdded) return Option.some(say(messages.openedAlready))
    yield* TaskStart.enqueue(reply.id, 1)
    return Option.none()
  })
}

/** A deleted or locked thread cannot be linked to. */
const openThread = (event: Pick<SlashCommand, "options" | "reply">) =>
  taskIdOption(event) === undefined
    ? Effect.succeedNone
    : Effect.map(
        threadOf(event),
        Option.filter(({ closed }) => !closed)
      )
