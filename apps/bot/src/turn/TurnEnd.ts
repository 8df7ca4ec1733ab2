import * as Effect from "effect/Effect"
import { tell } from "../messages/Explain.ts"
import { type End, plausibleTokens } from "../model/Conversation.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"
import type { TurnOutcome } from "./machine/State.ts"
import { mayHavePrompt, type OpenTurn, rowOf } from "./OpenTurn.ts"
import * as Failure from "./Failure.ts"
import * as FirstFiles from "./FirstFiles.ts"

/** The end of a turn that did not fail. `now` is in epoch milliseconds. */
export const done = ({ startedAt }: TurnRow, now: number, stopReason: string, tokens?: number): End => ({
  _tag: "Done",
  stopReason,
  milliseconds: now - startedAt,
  tokens: plausibleTokens(tokens)
})

/** When a turn ended that was stopped and whose agent may still work, in epoch milliseconds; undefined for others. */
export const openStopAt = ({ end, startedAt }: TurnRow): number | undefined =>
  end?._tag === "Done" && (end.stopReason === "unconfirmed" || end.stopReason === "stop_not_delivered")
    ? startedAt + end.milliseconds
    : undefined

/** The end that a turn shows for its outcome, which was known at `now`. */
export const fromOutcome = (turn: OpenTurn, outcome: TurnOutcome, now: number): Effect.Effect<End, never, Turns> => {
  const { entry, messages, row } = turn
  const { failures } = messages
  switch (outcome._tag) {
    case "Answered":
      return Effect.succeed(done(row, now, outcome.stopReason, outcome.tokens))
    case "Stopped":
      return Effect.succeed(done(row, now, "cancelled"))
    case "EndedAfterStop":
      return Effect.succeed(done(row, now, "ended_after_stop"))
    case "StopUnconfirmed":
      return Effect.succeed(done(row, now, "unconfirmed"))
    case "StopNotDelivered":
      return Effect.succeed(done(row, now, "stop_not_delivered"))
    case "Unsent":
      return Effect.succeed(done(row, now, "unsent"))
    case "StillAtWork":
      return Effect.succeed({ _tag: "Failed", text: tell(messages, failures.stillAtWork), resend: true })
    case "DeliveryUnknown":
      return Effect.map(FirstFiles.areUnsent(turn), (areFilesUnsent): End => ({
        _tag: "Failed",
        text: tell(messages, failures.deliveryUnknown(areFilesUnsent)),
        resend: true
      }))
    case "Quiet":
      return Effect.succeed({ _tag: "Done", stopReason: "end_turn", milliseconds: 0, tokens: undefined })
    case "Recorded":
      return Effect.succeed(outcome.end)
    case "RunFailed":
      return Effect.succeed({ _tag: "Failed", text: tell(messages, failures.runFailed) })
    case "TaskEnded":
      return Effect.succeed({ _tag: "Failed", text: tell(messages, Failure.taskEnded(messages, outcome.isUnsent)) })
    case "NotReconnected":
      return Effect.map(rowOf(turn), (current): End => ({
        _tag: "Failed",
        text: tell(messages, failures.reconnectGivenUp(mayHavePrompt(entry, current)))
      }))
    case "Failed":
      return Effect.succeed({ _tag: "Failed", text: outcome.text })
  }
}
