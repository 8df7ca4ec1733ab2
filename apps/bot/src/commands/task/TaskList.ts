import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import type { Messages } from "../../messages/Messages.ts"
import { Threads } from "../../store/Threads.ts"
import * as Pager from "../../view/Pager.ts"
import * as View from "../../view/TaskList.ts"
import { type CommandHandler, type Component, ownAccount, say } from "../Command.ts"
import { notConnected } from "../account/ConnectAccount.ts"
import { isOldestFirst } from "./TaskOrder.ts"

/** `/task list`: the newest tasks of the person, with their threads. */
export const TaskList: CommandHandler<Accounts | Threads> = {
  path: "task list",
  describe: ({ commands }) => ({ ...commands.taskList, options: [] }),
  answers: "privately",
  reads: true,
  action: ownAccount,
  handle: ({ reply }, messages) => show(reply.userId, 1, messages)
}

/** `l1:<page>`: another page of the current list. */
export const TaskListPage: Component<Accounts | Threads> = {
  id: /^l1:\d{1,6}$/,
  answers: "inPlace",
  reads: true,
  action: ownAccount,
  handle: ({ customId, reply }, messages) => show(reply.userId, Number(customId.split(":")[1]), messages)
}

const show = Effect.fn("TaskList.show")(function* (userId: string, requestedPage: number, messages: Messages) {
  const accounts = yield* Accounts
  if (!(yield* accounts.isConnected(userId))) return Option.some(notConnected(messages))
  const readPage = (page: number) => accounts.use(userId, ({ tasks }) => tasks.list({ page, size: View.pageSize }))
  const first = yield* readPage(1)
  const { total } = first
  const list = { size: View.pageSize, total }
  const page = Pager.nearestPage(requestedPage, list)
  const isReversed = isOldestFirst(first.tasks)
  const servicePage = isReversed ? Pager.pageCount(list) + 1 - page : page
  const read = servicePage === 1 ? first : yield* readPage(servicePage)
  const tasks = isReversed ? read.tasks.toReversed() : read.tasks
  if (tasks.length === 0) return Option.some(say(messages.noTasks))
  const threads = yield* Threads
  const listedTasks = yield* Effect.forEach(tasks, ({ createdAt, name, status, taskId }) =>
    Effect.map(threads.findByTask(taskId), (thread): View.ListedTask => {
      const when = createdAt === undefined ? Number.NaN : Date.parse(createdAt)
      return {
        name: name ?? taskId,
        status,
        createdAt: Number.isNaN(when) ? undefined : when,
        threadId: Option.getOrUndefined(Option.map(thread, ({ threadId }) => threadId))
      }
    })
  )
  return Option.some(View.page(listedTasks, { page, ...list }, messages))
})
