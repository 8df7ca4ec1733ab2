import * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import { isBusy } from "@heddle/core/domain/TaskStatus"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { Accounts } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { messagesFor } from "../store/Languages.ts"
import { client } from "./session/AgentClient.ts"
import * as Failure from "./Failure.ts"
import { retryWindowMs } from "./machine/Outage.ts"
import { Permissions } from "../store/Permissions.ts"
import type { Thread } from "../store/Threads.ts"
import * as TurnEnd from "./TurnEnd.ts"
import { Turns } from "../store/Turns.ts"

/** Stops the run of a task without showing anything; false when none ran. */
export const cancelRun = Effect.fn("StopTask.cancelRun")(function* (thread: Pick<Thread, "ownerId" | "taskId">) {
  const accounts = yield* Accounts
  return yield* accounts.use(thread.ownerId, ({ tasks }) =>
    Effect.gen(function* () {
      const taskId = TaskId.make(thread.taskId)
      if (!isBusy((yield* tasks.get(taskId)).status)) return false
      const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
      const session = yield* AcpSession.open({ sessionId: taskId, ticket, ...client })
      yield* session.cancel
      return true
    })
  )
})

/** Stops the task of a closed thread, so that its owner does not pay for an unread answer; retries while the service is away. */
export const cancelRunWithRetries = Effect.fn("StopTask.cancelRunWithRetries")(function* (
  turnId: string,
  thread: Thread
) {
  // Its cards can no longer be answered.
  yield* (yield* Permissions).withdrawAll(turnId)
  const messages = yield* messagesFor(thread.guildId)
  const stopped = yield* Effect.scoped(cancelRun(thread)).pipe(
    Effect.timeout("30 seconds"),
    RetryPolicy.retryIf(
      (error) =>
        error._tag === "TimeoutException" ||
        Failure.remedy(error, messages, thread.ownerId, "perhapsSent")._tag === "TryAgain",
      RetrySchedules.stopTask(retryWindowMs)
    ),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning(`The task of thread ${thread.threadId} could not be stopped`, error.message), false)
    )
  )
  if (!stopped) return
  const isAtRest = yield* awaitRest(thread)
  // The thread may go on, and show how the answer ended.
  const turns = yield* Turns
  const now = yield* Clock.currentTimeMillis
  const turn = yield* turns.begin(turnId, thread.threadId, now)
  if (turn.end !== undefined) return
  yield* turns.setEnd(turnId, TurnEnd.done(turn, now, isAtRest ? "ended_after_stop" : "unconfirmed"))
})

/** Waits until a cancelled task is at rest, for five seconds at most. Returns whether it is. */
const awaitRest = Effect.fnUntraced(function* ({ ownerId, taskId }: Thread) {
  const accounts = yield* Accounts
  return yield* accounts
    .use(ownerId, ({ tasks }) => tasks.get(TaskId.make(taskId)))
    .pipe(
      Effect.repeat({ until: ({ status }) => !isBusy(status), schedule: Schedule.spaced("500 millis") }),
      Effect.as(true),
      Effect.timeout("5 seconds"),
      Effect.catchAll((error) =>
        Effect.as(Effect.logInfo(`Nothing confirms that the task ${taskId} has stopped`, error.message), false)
      )
    )
})
