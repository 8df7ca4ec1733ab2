import * as Effect from "effect/Effect"
import { Accounts } from "../access/Accounts.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { Permissions } from "../store/Permissions.ts"
import type { Turns } from "../store/Turns.ts"
import * as Failure from "./Failure.ts"
import { isLateOutput } from "../store/Inbox.ts"
import type { AttemptFailure, Event } from "./machine/Event.ts"
import { activity } from "./machine/Machine.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import * as Projection from "./session/Projection.ts"
import * as SessionHistory from "./session/SessionHistory.ts"
import { rowOf, type TurnSession } from "./session/TurnSession.ts"

/** What the commands of a turn need. */
export type Requirements = Accounts | Permissions | Turns

/** Waits until the task is idle; the channel does not signal the end of a run that another client started. */
export const followRun = Effect.fnUntraced(function* ({ state }: OpenTurn, session: TurnSession) {
  const busy = Effect.flatMap(session.taskStatus, (status) =>
    activity[status] === "Over"
      ? Effect.fail({ _tag: "RunFailed" } as const)
      : Effect.succeed(activity[status] === "AtWork")
  )
  return yield* session.acp.awaitIdle(busy).pipe(
    Effect.zipRight(session.view),
    Effect.map(({ baseline, session: sessionState }): Event => ({
      _tag: "RunEnded",
      onlyOtherPrompts: SessionHistory.entriesBefore(sessionState, baseline) === Infinity,
      hasAnswer: SessionHistory.hasAnswer(sessionState, state.get().extent),
      stopReason: Projection.stopReason(sessionState, state.get().extent)
    })),
    Effect.catchTag("RunFailed", (failed) => Effect.succeed<Event>(failed))
  )
})

/**
 * Waits until the agent says nothing more for two seconds, or a message waits. It waits at most for a minute, without
 * the time in which a request of the agent is open.
 */
export const awaitSilence = Effect.fnUntraced(function* ({ state }: OpenTurn, { acp }: TurnSession) {
  let previousState = yield* acp.state
  for (let silentPolls = 0, remainingPolls = 240; silentPolls < 8 && remainingPolls > 0; remainingPolls--) {
    yield* Effect.sleep("250 millis")
    const { permissions, waiting } = state.get()
    const hasOpenRequest = permissions.some(({ state }) => state === "open")
    if (!hasOpenRequest && (waiting?.count ?? 0) > 0) break
    if (hasOpenRequest) remainingPolls++
    const currentState = yield* acp.state
    silentPolls = currentState === previousState && !hasOpenRequest ? silentPolls + 1 : 0
    previousState = currentState
  }
  return { _tag: "Silent" } satisfies Event
})

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

/** What the failure of an attempt means for its turn, after the service has been away for `awayMs` milliseconds. */
export const failureOf = Effect.fnUntraced(function* (turn: OpenTurn, error: Failure.Failure, awayMs: number) {
  const { entry, messages, channelWatch, thread } = turn
  const remedy = Failure.remedy(error, messages, thread.ownerId, Math.round(awayMs / 60_000))
  const hasOpenRequest =
    isLateOutput(entry) && (yield* (yield* Permissions).ofTurn(entry.eventId)).some(({ state }) => state === "open")
  const event = (failure: AttemptFailure) => ({ failure, hasOpenRequest })
  switch (remedy._tag) {
    case "Explain":
      return event({ _tag: "Final", text: remedy.text })
    case "TryAgain": {
      yield* Effect.logWarning(`Thread ${thread.threadId}: ${remedy.reason}`)
      const isNotDelivered = error._tag === "NotDelivered"
      return event({ _tag: "Unavailable", text: remedy.text, isNotDelivered })
    }
    case "Reconnect": {
      channelWatch.setIdle()
      const isReplaced = error._tag === "AccountEnded" && (yield* (yield* Accounts).isConnected(thread.ownerId))
      return event({ _tag: "AccountEnded", isReplaced, storedEnd: (yield* rowOf(turn)).end })
    }
  }
})
