import type * as SessionState from "@heddle/acp/SessionState"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Accounts } from "../access/Accounts.ts"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import { Permissions } from "../store/Permissions.ts"
import type { Turns } from "../store/Turns.ts"
import { BotSettings } from "../model/BotSettings.ts"
import * as ChannelSilence from "./ChannelSilence.ts"
import * as Failure from "./Failure.ts"
import { isLateOutput } from "../store/Inbox.ts"
import type { AttemptFailure, Event } from "./machine/Event.ts"
import { activity } from "./machine/Machine.ts"
import type { TaskStatus } from "./machine/State.ts"
import { type OpenTurn, rowOf } from "./OpenTurn.ts"
import type { TurnState } from "./TurnState.ts"
import * as Projection from "./session/Projection.ts"
import * as SessionHistory from "./session/history/SessionHistory.ts"
import type { TurnSession } from "./session/TurnSession.ts"

/** What the commands of a turn need. */
export type Requirements = Accounts | BotSettings | Permissions | Turns

/** Waits until the task is at rest; the channel does not signal the end of a run that another client started. */
export const followRun = Effect.fnUntraced(function* (turn: OpenTurn, session: TurnSession) {
  const { state } = turn
  const isPaused = makeIsPaused(turn, session)
  const { channelSilenceMs } = yield* BotSettings
  const silence = yield* ChannelSilence.makeSilence(session)
  let silentMs = 0
  let task = { status: "Busy" as TaskStatus, isHeld: false }
  const busy = Effect.gen(function* () {
    silentMs = yield* silence
    const { status } = (task = yield* session.readTask)
    if (activity[status] === "Over") return yield* Effect.fail({ _tag: "TaskEnded" } as const)
    return !(yield* isPaused(status)) && activity[status] === "AtWork"
  })
  return yield* session.acp.awaitIdle(busy).pipe(
    Effect.as(false),
    Effect.catchTag("DeliveryUnknown", () => Effect.succeed(true)),
    Effect.zip(session.view),
    Effect.map(([isDeliveryUnknown, { baseline, hasShown, session: sessionState }]): Event => ({
      _tag: "RunEnded",
      isDeliveryUnknown,
      onlyOtherPrompts: SessionHistory.hasOnlyOtherPrompts(sessionState, baseline),
      hasAnswer: hasShown || SessionHistory.hasAnswer(sessionState, state.get().extent),
      hasFailed: task.status === "Failed" && !Projection.endsWithNotice(sessionState, state.get().extent),
      // Nothing says whether a task in `pending` rests or waits for somebody.
      stopReason:
        task.status === "Pending" && !Projection.endsWithNotice(sessionState, state.get().extent)
          ? "paused"
          : Projection.stopReason(sessionState, state.get().extent),
      ...SessionHistory.findings(sessionState, { baseline, hasShown, isHeld: task.isHeld })
    })),
    Effect.catchTag("TaskEnded", (ended) => Effect.succeed<Event>(ended)),
    Effect.flatMap((event) =>
      // Nothing came until the end, and nothing after it: a new connection shows whether that is all.
      Effect.map(silence, (now) =>
        // To find out that a task rests in `pending` takes a silence, too.
        silentMs >= (task.status === "Pending" ? Math.max(channelSilenceMs, 4 * pauseMs) : channelSilenceMs) &&
        now >= silentMs &&
        event._tag === "RunEnded"
          ? { _tag: "ChannelOutdated" as const }
          : event
      )
    )
  )
})

/** How long a session does not change before a task in `pending` counts as at rest, in milliseconds. */
const pauseMs = 3000

/**
 * Tells whether a task rests in `pending`, as at some services after a run. It waits for no answer of this turn, and its
 * session has not changed for a while. If it waits for another client, what it says then is late output.
 */
const makeIsPaused = ({ entry, state: turnState }: OpenTurn, { acp }: TurnSession) => {
  let lastState: SessionState.SessionState | undefined
  let quietSince = 0
  return Effect.fnUntraced(function* (status: TaskStatus) {
    const now = yield* MonotonicClock.now
    const state = yield* acp.state
    const awaitsAnswer = Effect.map((yield* Permissions).ofTurn(entry.eventId), (rows) =>
      rows.some((row) => isAwaited(row, now, turnState.get().stopAsked) && !Projection.hasGoneOn(state, row))
    )
    if (status !== "Pending" || state !== lastState || state.permissions.length > 0 || (yield* awaitsAnswer))
      quietSince = now
    lastState = state
    return now - quietSince >= pauseMs
  })
}

/** Whether the agent may still wait for the answer to a request, also when the connection of the request is gone. */
const isAwaited = ({ deadlineAt, sent, state }: PermissionRow, now: number, stopAsked: boolean): boolean =>
  !sent &&
  deadlineAt > now &&
  // A stop closes the cards of requests; the service may not have taken that.
  (state === "open" || state === "answered" || state === "undelivered" || (state === "withdrawn" && stopAsked))

/**
 * Watches for some seconds whether the service runs the first prompt itself: it may give link and token before it
 * begins. Then the task is checked for good.
 */
export const awaitFirstRun = ({ checkTask }: TurnSession) =>
  checkUntil(checkTask, ({ hasArrived, status }) => hasArrived || status !== "Idle", "8 seconds")

/** Waits until a run that was not confirmed as stopped is over, for a limited time after that stop. */
export const awaitStoppedRun = Effect.fnUntraced(function* ({ checkTask, view }: TurnSession) {
  const now = yield* Clock.currentTimeMillis
  const { openStop } = yield* view
  const { stoppedRunMs } = yield* BotSettings
  // The stop may be of an earlier process, and its time of day later than now.
  const left = Math.min((openStop?.at ?? now) - now, 0) + stoppedRunMs
  return yield* checkUntil(checkTask, ({ status }) => activity[status] !== "AtWork", Math.max(0, left))
})

/** Checks the task every second until it is as wanted or the time is over, then for good. */
const checkUntil = (
  checkTask: TurnSession["checkTask"],
  isWanted: (checked: Effect.Effect.Success<TurnSession["checkTask"]>) => boolean,
  limit: Duration.DurationInput
) =>
  checkTask.pipe(
    Effect.repeat({ until: isWanted, schedule: RetryPolicy.upTo(limit)(Schedule.spaced("1 second")) }),
    Effect.zipRight(checkTask),
    Effect.map((checked): Event => ({ ...checked, hasWaited: true }))
  )

/**
 * Waits until the agent says nothing more for two seconds, or a message waits. It waits at most a minute, which begins
 * anew after a request of the agent was open; while one is open, nothing ends it.
 */
export const awaitSilence = ({ state }: Pick<OpenTurn, "state">): Effect.Effect<Event> => {
  const after = (pause: Duration.DurationInput) => Stream.fromEffect(Effect.sleep(pause))
  const hasOpenRequest = () => state.get().permissions.some(({ state }) => state === "open")
  const hasWaitingMessage = () => (state.get().waiting?.count ?? 0) > 0
  const activity = activityOf(state)
  const silence = activity.pipe(
    Stream.flatMap(() => (hasOpenRequest() ? Stream.never : hasWaitingMessage() ? Stream.void : after("2 seconds")), {
      switch: true
    })
  )
  const limit = activity.pipe(
    Stream.map(hasOpenRequest),
    Stream.changes,
    Stream.flatMap((isOpen) => (isOpen ? Stream.never : after("1 minute")), { switch: true })
  )
  return Stream.merge(silence, limit).pipe(Stream.runHead, Effect.as({ _tag: "Silent" }))
}

/** Emits at once, and whenever the agent says something, a request changes or the waiting messages change. */
const activityOf = (state: TurnState): Stream.Stream<void> =>
  Stream.asyncPush<void>(
    (emit) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          emit.single(undefined)
          return state.onChange(({ permissions, session, waiting }) => {
            if ((session ?? permissions ?? waiting) !== undefined) emit.single(undefined)
          })
        }),
        (unsubscribe) => Effect.sync(unsubscribe)
      ),
    { bufferSize: 1, strategy: "sliding" }
  )

/** Sends the cancellation to the agent. */
export const sendCancel = ({ acp }: TurnSession): Effect.Effect<Event> =>
  acp.cancel.pipe(
    Effect.as<Event>({ _tag: "CancelSent" }),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("The task could not be stopped", error.message), { _tag: "CancelFailed" } as const)
    )
  )

/** Shows answers while no session is open; the agent gets them later. */
export const showAnswers = ({ entry, state }: OpenTurn) =>
  Effect.map(
    retryWhileStoreFails(
      "An answer",
      Effect.flatMap(Permissions, (rows) => rows.ofTurn(entry.eventId))
    ),
    (permissions) => state.set({ permissions })
  )

/** What is known when an attempt fails. */
interface FailureContext {
  readonly delivery: Failure.Delivery
  /** The prompt surely did not go out. */
  readonly isNotSent: boolean
  /** How long the service has been away, in milliseconds. */
  readonly awayMs: number
}

/** What the failure of an attempt means for its turn. */
export const failureOf = Effect.fnUntraced(function* (
  turn: OpenTurn,
  error: Failure.Failure,
  { awayMs, delivery, isNotSent }: FailureContext
) {
  const { entry, messages, channelWatch, thread } = turn
  const remedy = Failure.remedy(error, messages, thread.ownerId, delivery, Math.round(awayMs / 60_000))
  const hasOpenRequest =
    isLateOutput(entry) && (yield* (yield* Permissions).ofTurn(entry.eventId)).some(({ state }) => state === "open")
  const event = (failure: AttemptFailure) => ({ failure, hasOpenRequest })
  switch (remedy._tag) {
    case "Explain":
      return event({ _tag: "Final", text: remedy.text })
    case "TryAgain": {
      yield* Effect.logWarning(`Thread ${thread.threadId}: ${remedy.reason}`)
      const isNotDelivered = error._tag === "NotDelivered"
      const retryAfterMs = Duration.toMillis(RetryPolicy.requestedWait(error))
      const isCreating = error._tag === "ChannelUnavailable" && error.status !== "unknown"
      return event({ _tag: "Unavailable", text: remedy.text, isCreating, isNotDelivered, isNotSent, retryAfterMs })
    }
    case "Reconnect": {
      channelWatch.setIdle()
      const isReplaced = error._tag === "AccountEnded" && (yield* (yield* Accounts).isConnected(thread.ownerId))
      return event({ _tag: "AccountEnded", isReplaced, storedEnd: (yield* rowOf(turn)).end })
    }
  }
})
