import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import { isLateOutput } from "./LateOutput.ts"
import { type End, saneTokens } from "../model/Conversation.ts"
import { mayHave, type OpenTurn } from "./OpenTurn.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"

/** How a turn ends that was not failed by anything. */
export const done = ({ startedAt }: TurnRow, stopReason: string, tokens?: number): Effect.Effect<End> =>
  Effect.map(Clock.currentTimeMillis, (now): End => ({
    _tag: "Done",
    stopReason,
    milliseconds: now - startedAt,
    tokens: saneTokens(tokens)
  }))

/** How a turn ends whose task has failed. */
export const failed = (messages: Messages): End => ({
  _tag: "Failed",
  text: tell(messages, messages.failures.taskFailed)
})

/** How a turn ends in which nobody has said anything. */
export const quiet: End = { _tag: "Done", stopReason: "end_turn", milliseconds: 0, tokens: undefined }

/** How a turn ends that was stopped while its agent could not be reached. */
export const unreached = Effect.fn("TurnEnd.unreached")(function* ({ entry, turn }: Pick<OpenTurn, "entry" | "turn">) {
  if (isLateOutput(entry)) return quiet
  const row = yield* (yield* Turns).begin(entry.eventId, entry.threadId, turn.startedAt)
  return yield* done(row, mayHave(entry, row) ? "untold" : "unsent")
})
