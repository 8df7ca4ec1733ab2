import { TaskId } from "@heddle/core/domain/Task"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import { Inbox } from "../../store/Inbox.ts"
import { Permissions } from "../../store/Permissions.ts"
import type { Threads } from "../../store/Threads.ts"
import { plainName } from "../../text/PlainName.ts"
import { oneLine } from "../../text/Truncate.ts"
import { statusName } from "../../view/StatusWord.ts"
import { type CommandHandler, say } from "../Command.ts"
import { aboutTask, taskIdOption, suggestTasks, taskOption, threadOf } from "./TaskOption.ts"

/** `/task status`: the status of this thread's task, or of another one. */
export const TaskStatus: CommandHandler<Accounts | Inbox | Permissions | Threads> = {
  path: "task status",
  describe: ({ commands: { taskStatus } }) => ({
    description: taskStatus.description,
    options: [taskOption(taskStatus.task)]
  }),
  suggest: suggestTasks,
  answers: "privately",
  reads: true,
  action: aboutTask("Read"),
  handle: Effect.fn("TaskStatus.handle")(function* (event, messages) {
    const thread = Option.getOrUndefined(yield* threadOf(event))
    const taskId = thread?.taskId ?? taskIdOption(event)
    if (taskId === undefined) return Option.some(say(messages.noTaskHere))
    const account = thread?.ownerId ?? event.reply.userId
    const found = yield* (yield* Accounts)
      .use(account, ({ taskReader }) => taskReader.read(TaskId.make(taskId)))
      .pipe(
        Effect.asSome,
        Effect.catchIf(
          (error) => account !== event.reply.userId && isOfOwner(error),
          () => Effect.succeedNone
        )
      )
    if (Option.isNone(found)) return Option.some(say(messages.statusOfOther(account)))
    const task = found.value
    const name = plainName(task.name ?? thread?.name ?? taskId, 100)
    const word = statusName(messages, task.status)
    if (thread === undefined) return Option.some(say(messages.status(name, word, 0)))
    const { ownerId, threadId } = thread
    const status = messages.status(name, word, yield* (yield* Inbox).countWaiting(threadId))
    const openPermissions = yield* (yield* Permissions).openIn(threadId)
    const titles = openPermissions
      .slice(0, 5)
      .map((row) => oneLine(row.title, 100) || messages.requestCards.untitledRequest)
    return Option.some(
      say(
        [
          status,
          ...(openPermissions.length === 0 ? [] : [messages.waitsForAnswer(ownerId, titles)]),
          ...(threadId === event.reply.channelId ? [] : [`<#${threadId}>`])
        ].join("\n")
      )
    )
  })
}

/** The viewer cannot repair the account of another person. */
const isOfOwner = ({ _tag }: OpenApiError): boolean =>
  ["InsufficientScope", "InvalidGrant", "InvalidToken", "Reauthorize"].includes(_tag)
