import type * as AcpSession from "@heddle/acp/AcpSession"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isLateOutput } from "../../store/Inbox.ts"
import { Turns } from "../../store/Turns.ts"
import { mayHavePrompt, type OpenTurn, rowOf } from "../OpenTurn.ts"
import * as TurnEnd from "../TurnEnd.ts"

/**
 * Cancels the run of a turn whose account ends. Returns whether the agent has stopped or never had the prompt; undefined
 * when it ended in another way. Without a session nothing is cancelled.
 */
export const cancelRun = Effect.fnUntraced(function* (turn: OpenTurn, acp: AcpSession.AcpSession | undefined) {
  if (acp === undefined) return yield* wasNeverSent(turn)
  // The service takes a cancellation before the agent acts on it; only the response of a prompt confirms it.
  const result = yield* acp.cancel
  yield* recordStop(turn, result === "ended" ? "ended_after_stop" : result)
  if (result === "ended") return undefined
  return result === "cancelled" || (yield* wasNeverSent(turn))
})

/** Whether no prompt of the turn can have reached the agent. */
const wasNeverSent = (turn: OpenTurn) =>
  Effect.map(rowOf(turn), (row) => !isLateOutput(turn.entry) && !mayHavePrompt(turn.entry, row))

/** Stores how a turn ended with its account, so that it shows this when the account is connected again. */
const recordStop = Effect.fnUntraced(function* (
  turn: OpenTurn,
  stopReason: "cancelled" | "ended_after_stop" | "unconfirmed"
) {
  const row = yield* rowOf(turn)
  if (row.end !== undefined || !mayHavePrompt(turn.entry, row)) return
  yield* (yield* Turns).setEnd(turn.entry.eventId, TurnEnd.done(row, yield* Clock.currentTimeMillis, stopReason))
})
