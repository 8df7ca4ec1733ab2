import type * as SessionState from "@heddle/acp/SessionState"
import type { Item } from "../../model/Conversation.ts"
import { isJoinable } from "./history/SessionPlace.ts"

/**
 * Makes the ids of a turn's items, by which posts are found again. Words without a message id are known by their distance
 * from the start of the turn, in characters: a replay joins and numbers them in other ways. The prefix sets them apart
 * from posted words that the session no longer has.
 */
export const make = (idPrefix: string, posted: ReadonlySet<string> = new Set()) => {
  const wordsPrefix = hasWords(posted) ? idPrefix : ""
  let said = 0
  const counts = new Map<string, number>()
  const unique = (id: string) => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count === 1 ? id : `${id}@${count}`
  }
  const postedStarts = idPrefix === "" ? [...posted].flatMap(startOf) : []
  return {
    /** The id of each part of a message whose first `skipped` characters are not the turn's, and where known posts begin. */
    ofMessage: (entry: SessionState.Message, skipped: number) => {
      if (!isJoinable(entry))
        return { cuts: [], idAt: (at: number) => wordsPrefix + (at === 0 ? entry.key : `${entry.key}~${at}`) }
      const start = said - skipped
      said = start + entry.text.length
      // The end of the turn before needs no id: it would take that of this turn's first words.
      const isBefore = skipped > 0 && skipped === entry.text.length
      const first = isBefore ? `@${said}` : unique(`@${start + skipped}`)
      return {
        cuts: postedStarts.map((each) => each - start).filter((at) => at > skipped && at < entry.text.length),
        idAt: (at: number) => wordsPrefix + (at === skipped ? first : `@${start + at}`)
      }
    },
    /** The id of a tool call: agents may use one again in a later turn, which a replay need not show. */
    ofCall: ({ toolCallId }: SessionState.ToolCall) => unique(`tool:${toolCallId}`)
  }
}

/** Whether a session that was loaded again has the words that a turn's posts show. */
export const showAgain = (items: ReadonlyArray<Item>, posted: ReadonlySet<string>): boolean => {
  // A request that is asked again names its tool call, also where nothing is replayed.
  if (!hasWords(posted)) return items.length > 0
  const messages = items.filter((item) => item._tag === "AgentMessage")
  const ends = messages.map(({ id, text }) => Number(/^@(\d+)/.exec(id)?.[1] ?? 0) + text.length)
  return messages.length > 0 && [...posted].flatMap(startOf).every((start) => start < Math.max(...ends))
}

const hasWords = (posted: ReadonlySet<string>): boolean => [...posted].some((key) => key.startsWith("text:"))

/** Where the words of a post begin in their turn. */
const startOf = (key: string): ReadonlyArray<number> => {
  const [, start] = /^text:@(\d+):0$/.exec(key) ?? []
  return start === undefined ? [] : [Number(start)]
}
