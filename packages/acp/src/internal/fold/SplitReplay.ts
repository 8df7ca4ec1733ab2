import type { Entry, Message } from "../../SessionModel.ts"
import { KeyCounter } from "./KeyCounter.ts"

/**
 * Splits the messages of users that a replay reads as one, since no answer stands between them and they have no ids. Where
 * such a message ends with live messages that follow each other, those stand in its place, after what comes before them.
 */
export const split = (live: ReadonlyArray<Entry>, replayed: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const keys = new KeyCounter(live)
  /** Where the live messages begin that the replay may still have. */
  let from = 0
  return replayed.flatMap((entry) => {
    if (!isOfUser(entry)) return [entry]
    const known = live.findIndex((each, index) => index >= from && isOfUser(each) && each.text === entry.text)
    if (known !== -1) {
      from = known + 1
      return [entry]
    }
    const run = longestRun(live, from, entry.text)
    if (run === undefined) return [entry]
    from = run.end
    const messages = live.slice(run.start, run.end)
    const rest = entry.text.slice(0, entry.text.length - run.length)
    if (rest === "") return messages
    const key = live.some((each) => each.key === entry.key) ? keys.next("user") : entry.key
    return [{ ...entry, key, text: rest, content: [{ type: "text", text: rest }] }, ...messages]
  })
}

/** The most live messages of users in a row with which a text ends. */
const longestRun = (live: ReadonlyArray<Entry>, from: number, text: string) => {
  let longest: { readonly start: number; readonly end: number; readonly length: number } | undefined
  for (let start = from; start < live.length; start++) {
    let joined = ""
    for (let end = start; joined.length < text.length; end++) {
      const entry = live[end]
      if (!isOfUser(entry)) break
      joined += entry.text
      if (joined !== "" && text.endsWith(joined) && joined.length > (longest?.length ?? 0))
        longest = { start, end: end + 1, length: joined.length }
    }
  }
  return longest
}

const isOfUser = (entry: Entry | undefined): entry is Message => entry?._tag === "Message" && entry.role === "user"
