import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import { Inbox } from "../thread/Inbox.ts"
import { Permissions } from "../thread/Permissions.ts"
import { Threads } from "../thread/Threads.ts"
import { oneLine } from "../view/Fit.ts"
import { statusWord } from "../view/StatusWord.ts"
import { type Command, say } from "./Command.ts"

/** `/task status`: how the task of this thread is doing. */
export const TaskStatus: Command<Accounts | Inbox | Permissions | Threads> = {
  path: "task status",
  describe: ({ commands }) => ({ ...commands.taskStatus, options: [] }),
  answers: "privately",
  action: ({ reply }) =>
    Effect.flatMap(Threads, (threads) => threads.find(reply.channelId)).pipe(
      Effect.map(Option.match({ onNone: () => ({ _tag: "NothingHere" }), onSome: (task) => ({ _tag: "Read", task }) }))
    ),
  handle: Effect.fn("TaskStatus.handle")(function* ({ reply }, messages) {
    const thread = yield* (yield* Threads).find(reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const { ownerId, taskId } = thread.value
    const task = yield* (yield* Accounts).use(ownerId, ({ tasks }) => tasks.get(TaskId.make(taskId)))
    const waiting = yield* (yield* Inbox).waiting(reply.channelId)
    const asked = yield* (yield* Permissions).openIn(reply.channelId)
    const status = messages.status(
      oneLine(task.name ?? thread.value.name, 100),
      statusWord(messages, task.status),
      waiting
    )
    if (asked.length === 0) return Option.some(say(status))
    const titles = asked.slice(0, 5).map((row) => oneLine(row.title, 100) || messages.asked.tool)
    return Option.some(say(`${status}\n${messages.waitsForAnswer(ownerId, titles)}`))
  })
}
