import type * as SessionState from "@heddle/acp/SessionState"
import { type InboxEntry, isLateOutput, turnKind } from "../../store/Inbox.ts"
import * as Projection from "../session/Projection.ts"
import * as PromptMatch from "./PromptMatch.ts"
import type { Baseline, TurnRow } from "../../store/Turns.ts"

/** What the session holds before a turn that begins now; `before` is the turn before it. */
export const baselineOf = (
  entry: InboxEntry,
  session: SessionState.SessionState,
  previousTurn: TurnRow | undefined
): Baseline => {
  const { baseline, shown } = previousTurn ?? {}
  const skip = baseline === undefined ? 0 : PromptMatch.entriesBefore(session, baseline)
  if (isLateOutput(entry) && shown !== undefined) {
    return { items: skip, prompts: PromptMatch.countPrompts(session), past: shown }
  }
  if (turnKind(entry) === "OpenedTask") return Projection.lastTurnBaseline(session)
  if (entry.first) return { items: 0, prompts: 0 }
  const lateOutput = shown === undefined ? undefined : Projection.lateOutputText(session, skip, shown)
  return {
    items: PromptMatch.countAgentEntries(session),
    prompts: PromptMatch.countPrompts(session),
    ...(lateOutput === undefined ? {} : { late: lateOutput })
  }
}
