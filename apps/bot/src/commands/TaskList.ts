import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import { Threads } from "../thread/Threads.ts"
import { oneLine, plain } from "../view/Fit.ts"
import { statusWord } from "../view/StatusWord.ts"
import { type Command, say } from "./Command.ts"
import { notConnected } from "./ConnectAccount.ts"

/** `/task list`: the newest tasks of the person, with their threads. */
export const TaskList: Command<Accounts | Threads> = {
  path: "task list",
  describe: ({ commands }) => ({ ...commands.taskList, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("TaskList.handle")(function* ({ reply }, messages) {
    const accounts = yield* Accounts
    if (!(yield* accounts.isConnected(reply.userId))) return Option.some(notConnected(messages))
    const { tasks } = yield* accounts.use(reply.userId, ({ tasks }) => tasks.list({ size: 10 }))
    if (tasks.length === 0) return Option.some(say(messages.noTasks))
    const threads = yield* Threads
    const lines = yield* Effect.forEach(tasks, (task) =>
      Effect.map(threads.findByTask(task.taskId), (thread) => {
        const where = Option.match(thread, { onNone: () => "", onSome: ({ threadId }) => ` · <#${threadId}>` })
        const when = task.createdAt === undefined ? NaN : Date.parse(task.createdAt)
        const age = Number.isNaN(when) ? "" : ` · <t:${Math.floor(when / 1000)}:R>`
        return `- **${plain(oneLine(task.name ?? task.taskId, 80))}** · ${statusWord(messages, task.status)}${age}${where}`
      })
    )
    return Option.some({ content: "", embeds: [{ title: messages.tasksTitle, description: lines.join("\n") }] })
  })
}
