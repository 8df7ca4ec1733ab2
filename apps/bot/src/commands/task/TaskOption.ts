import {
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType
} from "../../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Action } from "../../model/Access.ts"
import { Accounts } from "../../access/Accounts.ts"
import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { plainName } from "../../text/PlainName.ts"
import { truncate } from "../../text/Truncate.ts"
import { statusName } from "../../view/StatusWord.ts"
import { type Suggest, ownAccount } from "../Command.ts"
import { isOldestFirst } from "./TaskOrder.ts"

/** The option that names a task from any channel; its value is the task's id. */
export const taskOption = (description: string, required = false): APIApplicationCommandStringOption => ({
  type: ApplicationCommandOptionType.String,
  name: "task",
  description,
  required,
  autocomplete: true,
  max_length: 100
})

/** Suggests the person's own tasks, newest first, that match the typed text. */
export const suggestTasks: Suggest<Accounts> = {
  action: ownAccount,
  handle: Effect.fn("TaskOption.suggest")(function* ({ focused, reply }, messages) {
    const accounts = yield* Accounts
    if (!(yield* accounts.isConnected(reply.userId))) return []
    const { tasks } = yield* accounts.use(reply.userId, ({ tasks }) => tasks.list({ size: 100 }))
    const query = focused.value.trim().toLowerCase()
    return (isOldestFirst(tasks) ? tasks.toReversed() : tasks)
      .filter(({ taskId }) => taskId.length <= 100)
      .map(({ name, status, taskId }) => ({ name: plainName(name ?? taskId, 80), status, value: taskId }))
      .filter(({ name, value }) => name.toLowerCase().includes(query) || value.toLowerCase() === query)
      .map(({ name, status, value }) => ({ name: truncate(`${name} · ${statusName(messages, status)}`, 100), value }))
  })
}

/** The given id; undefined without one. */
export const taskIdOption = ({ options }: Pick<SlashCommand, "options">): string | undefined => {
  const taskId = String(options["task"] ?? "").trim()
  return taskId === "" ? undefined : taskId
}

/** The thread of the given task, or this thread without one. */
export const threadOf = (
  event: Pick<SlashCommand, "options" | "reply">
): Effect.Effect<Option.Option<Thread>, never, Threads> =>
  Effect.flatMap(Threads, (threads) => {
    const taskId = taskIdOption(event)
    return taskId === undefined ? threads.find(event.reply.channelId) : threads.findByTask(taskId)
  })

/** The action for the policy on that task; a task without a thread belongs to the person's own account. */
export const aboutTask =
  (_tag: "Read" | "Share" | "Stop") =>
  (event: Pick<SlashCommand, "options" | "reply">): Effect.Effect<Action, never, Threads> =>
    Effect.map(
      threadOf(event),
      Option.match({
        onNone: (): Action => ({ _tag: taskIdOption(event) === undefined ? "NothingHere" : "OwnAccount" }),
        onSome: (task): Action => ({ _tag, task })
      })
    )
