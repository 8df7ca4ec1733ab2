import type * as SessionState from "@heddle/acp/SessionState"
import { hasEnded, type Task, type TaskId, type TaskSummary } from "@heddle/core/domain/Task"
import { isBusy } from "@heddle/core/domain/TaskStatus"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Service } from "../../access/Accounts.ts"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import type { Notice } from "../../model/Conversation.ts"
import type { Baseline } from "../../store/Turns.ts"
import type { Event } from "../machine/Event.ts"
import { retryWindowMs } from "../machine/Outage.ts"
import type { TaskStatus } from "../machine/State.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import * as SessionHistory from "./history/SessionHistory.ts"

/** What a session shows of a turn. */
export interface View {
  readonly session: SessionState.SessionState
  /** What the session held before the turn. */
  readonly baseline: Baseline
  /** The turn has shown words of the agent before this session was opened. */
  readonly hasShown: boolean
  readonly openStop: OpenStop | undefined
}

/** The stop of the last prompt before the turn, which the agent has not confirmed. */
export interface OpenStop {
  /** When the turn of that prompt ended, in epoch milliseconds. */
  readonly at: number
  /** The service has taken no answer to a request of that turn, and nobody sends the message in spite of it. */
  readonly awaitsAnswer: boolean
}

/** The status of a task, and whether the service holds its first prompt. */
export interface TaskRead {
  readonly status: TaskStatus
  readonly isHeld: boolean
}

export type TaskChecked = Extract<Event, { readonly _tag: "TaskChecked" }>

/** Reads a task. */
export const read = (taskReader: Service["taskReader"], taskId: TaskId): Effect.Effect<TaskRead, OpenApiError> =>
  Effect.map(taskReader.read(taskId), (task) => ({
    status: statusOf(task),
    isHeld: "initialPrompt" in task && task.initialPrompt === "hold"
  }))

/** Whether a read of a task failed since the service is away or overloaded. */
export const isServiceAway = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "Unreachable" || _tag === "ServiceFailure" || _tag === "OutcomeUnknown" || _tag === "RateLimited"

/** A reader that waits while the service limits requests. */
export interface LimitedReader {
  readonly readTask: Effect.Effect<TaskRead, OpenApiError>
  /**
   * Since when the service has refused every read while the channel was silent and no request was open. Undefined after a
   * read that succeeded; a read that begins after a failed one counts anew. Both times are milliseconds of the monotonic
   * clock.
   */
  readonly refusedSince: (now: number) => number | undefined
}

/**
 * Repeats a read as late as the service asks while it limits requests. The channel stays open meanwhile: the agent may ask
 * something. The thread says so until the agent says more. Gives up at the first refusal at which
 * {@link LimitedReader.refusedSince} is {@link retryWindowMs} ago. A read that takes over from an interrupted one goes on
 * with its wait.
 */
export const whileLimited = (
  read: Effect.Effect<TaskRead, OpenApiError>,
  { messages, silentMs, state }: Pick<OpenTurn, "messages" | "silentMs" | "state">
): LimitedReader => {
  const silence: Notice = { _tag: "Waiting", text: messages.waitingForService }
  let since: number | undefined
  let hasFailed = false
  const refusedSince = (now: number) => (since === undefined ? undefined : Math.max(since, now - silentMs()))
  const mayWait = Effect.map(MonotonicClock.now, (now) => now - (refusedSince(now) ?? now) < retryWindowMs)
  const noteRefusal = Effect.map(MonotonicClock.now, (now) => void (since ??= now))
  // What the agent says afterwards hides it for the rest of the wait.
  const tell = Effect.sync(() => state.set({ silence }))
  const endWait = Effect.sync(() => {
    if (state.get().silence === silence) state.set({ silence: undefined })
  })
  return {
    readTask: Effect.flatMap(Effect.once(tell), (tellOnce) => {
      if (hasFailed) since = undefined
      hasFailed = false
      return read.pipe(
        Effect.tapErrorTag("RateLimited", () => Effect.zipRight(noteRefusal, tellOnce)),
        RetryPolicy.retryIf(
          ({ _tag }) => _tag === "RateLimited",
          Schedule.whileInputEffect(limitedReads, () => mayWait)
        ),
        Effect.tapBoth({
          onFailure: () => Effect.sync(() => (hasFailed = true)),
          onSuccess: () => Effect.sync(() => (since = undefined))
        }),
        Effect.ensuring(endWait)
      )
    }),
    refusedSince
  }
}

const limitedReads: Schedule.Schedule<unknown, object> = RetryPolicy.asRequested<number, object, never>(
  Schedule.forever
)

/** Reads the task and searches the session for the prompt. */
export const check = Effect.fnUntraced(function* (
  readTask: Effect.Effect<TaskRead, OpenApiError>,
  view: Effect.Effect<View>
) {
  const task = yield* readTask
  const { openStop, session, ...known } = yield* view
  return {
    _tag: "TaskChecked",
    ...task,
    isStopOpen: openStop !== undefined,
    awaitsAnswer: openStop?.awaitsAnswer === true,
    hasWaited: false,
    ...SessionHistory.findings(session, { ...known, ...task })
  } satisfies Event
})

const statusOf = (task: Task | TaskSummary): TaskStatus => {
  if (hasEnded(task)) return "Ended"
  switch (task.status) {
    case "failed":
      return "Failed"
    case "completed":
      return "Completed"
    case "pending":
      return "Pending"
    default:
      return isBusy(task.status) ? "Busy" : "Idle"
  }
}
