import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Audit } from "../access/Audit.ts"
import type { Accounts } from "../connect/Accounts.ts"
import * as Attempt from "../thread/Attempt.ts"
import { remedy } from "../thread/Failure.ts"
import * as ThreadOwner from "../thread/ThreadOwner.ts"
import type { Threads } from "../thread/Threads.ts"
import { type Command, say } from "./Command.ts"
import { aboutTask, givenTask, suggestTasks, taskOption, threadOf } from "./TaskOption.ts"

/** `/task stop`: stops the current answer of a task; the task stays and takes further messages. */
export const TaskStop: Command<Accounts | Audit | Threads | ThreadOwner.Requirements> = {
  path: "task stop",
  describe: ({ commands: { taskStop } }) => ({
    description: taskStop.description,
    options: [taskOption(taskStop.task)]
  }),
  suggest: suggestTasks,
  answers: "privately",
  action: aboutTask("Stop"),
  handle: Effect.fn("TaskStop.handle")(function* (event, messages) {
    const { reply } = event
    const thread = Option.getOrUndefined(yield* threadOf(event))
    if (thread !== undefined) {
      const { guildId, name, threadId } = thread
      yield* (yield* Audit).note({
        eventId: reply.id,
        guildId,
        at: yield* Clock.currentTimeMillis,
        actorId: reply.userId,
        threadId,
        deed: { _tag: "Stopped", task: name }
      })
      return Option.some(say(messages.stop[yield* ThreadOwner.stop(threadId)]))
    }
    const taskId = givenTask(event)
    if (taskId === undefined) return Option.some(say(messages.noTaskHere))
    return yield* Effect.scoped(Attempt.stopTask({ taskId, ownerId: reply.userId })).pipe(
      Effect.map((busy) => messages.stop[busy ? "Stopping" : "Idle"]),
      Effect.catchAll((failure) => {
        const found = remedy(failure, messages, reply.userId)
        return Effect.succeed(found._tag === "Reconnect" ? messages.notConnected : found.text)
      }),
      Effect.map((words) => Option.some(say(words)))
    )
  })
}
