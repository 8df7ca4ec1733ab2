import { type End, isUnfinished, maxSteps, type ToolCallStep } from "../model/Conversation.ts"
import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { lookup } from "../text/Lookup.ts"
import * as Pages from "../text/Pages.ts"
import { oneLine } from "../text/Truncate.ts"

/** The steps of one post. */
export interface Steps {
  readonly count: number
  readonly newest: ReadonlyArray<ToolCallStep>
}

const signs = { pending: "▢", in_progress: "▸", completed: "✅", failed: "❌", cancelled: "✖" }

/** The newest steps that fit one message, and the number of older ones. */
export const stepLines = ({ count, newest }: Steps, end: End | undefined, messages: Messages): string => {
  const shown: Array<string> = []
  let remaining = Pages.limit - 40
  for (const call of newest.slice(-maxSteps).toReversed()) {
    const words = plain(oneLine(call.title, 150)) || messages.requestCards.untitledRequest
    const line = `-# ${lookup(signs, finalStatus(call, end)) ?? "▸"} ${words}`
    remaining -= line.length + 1
    if (remaining < 0) break
    shown.unshift(line)
  }
  const hidden = count - shown.length
  return [...(hidden > 0 ? [messages.turnPosts.earlierSteps(hidden)] : []), ...shown].join("\n")
}

/** With a turn that the agent or the service ended early, its unfinished steps have ended, too. */
const finalStatus = ({ status }: ToolCallStep, end: End | undefined): string =>
  isUnfinished(status) && end?._tag === "Done" && ["cancelled", "interrupted"].includes(end.stopReason)
    ? "cancelled"
    : status
