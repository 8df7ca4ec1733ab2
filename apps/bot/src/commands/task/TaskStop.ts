import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Store } from "../../store/database/Transaction.ts"
import type { AuditLog } from "../../store/AuditLog.ts"
import type { Accounts } from "../../access/Accounts.ts"
import { remedy } from "../../turn/Failure.ts"
import * as Stop from "../../turn/Stop.ts"
import * as StopTask from "../../turn/StopTask.ts"
import type * as ThreadOwner from "../../turn/ThreadOwner.ts"
import type { Action } from "../../model/Access.ts"
import { Requests } from "../../store/Requests.ts"
import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import type { Threads } from "../../store/Threads.ts"
import type { Turns } from "../../store/Turns.ts"
import { type CommandHandler, say } from "../Command.ts"
import { aboutTask, taskIdOption, suggestTasks, taskOption, threadOf } from "./TaskOption.ts"

/** `/task stop`: stops the current answer of a task; the task stays and takes further messages. */
export const TaskStop: CommandHandler<
  Accounts | AuditLog | Requests | Store | Threads | ThreadOwner.Requirements | Turns
> = {
  path: "task stop",
  describe: ({ commands: { taskStop } }) => ({
    description: taskStop.description,
    options: [taskOption(taskStop.task)]
  }),
  suggest: suggestTasks,
  answers: "privately",
  action: Effect.fnUntraced(function* (event): Effect.fn.Return<Action, never, Requests | Threads> {
    const action = yield* aboutTask("Stop")(event)
    const start = action._tag === "NothingHere" ? yield* startIn(event) : Option.none()
    if (Option.isNone(start)) return action
    const { channelId, guildId, taskId = "", userId } = start.value
    return { _tag: "Stop", task: { channelId, guildId, taskId, ownerId: userId } }
  }),
  handle: Effect.fn("TaskStop.handle")(function* (event, messages) {
    const { reply } = event
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const start = yield* startIn(event)
    if (Option.isSome(start)) yield* Stop.askStart(start.value, reply.channelId, by)
    // The start may have ended meanwhile.
    const thread = Option.getOrUndefined(yield* threadOf(event))
    if (thread === undefined && Option.isSome(start)) return Option.some(say(messages.stop.Starting))
    if (thread !== undefined) {
      const { signal, what } = yield* Stop.ask(thread, by)
      yield* signal
      return Option.some(say(messages.stop[what]))
    }
    const taskId = taskIdOption(event)
    if (taskId === undefined) return Option.some(say(messages.noTaskHere))
    return yield* Effect.scoped(StopTask.cancelRun({ taskId, ownerId: reply.userId })).pipe(
      Effect.map((busy) => messages.stop[busy ? "Stopping" : "Idle"]),
      Effect.catchAll((failure) => {
        const found = remedy(failure, messages, reply.userId, "perhapsSent")
        if (found._tag === "TryAgain") return Effect.succeed(messages.stop.TryAgain)
        return Effect.succeed(found._tag === "Reconnect" ? messages.notConnected : found.text)
      }),
      Effect.map((words) => Option.some(say(words)))
    )
  })
}

/** The start of a task in the thread of the command, as long as that has none. */
const startIn = Effect.fnUntraced(function* (event: Pick<SlashCommand, "options" | "reply">) {
  if (taskIdOption(event) !== undefined || Option.isSome(yield* threadOf(event))) return Option.none()
  return yield* (yield* Requests).startingIn(event.reply.channelId)
})
