import type { Entry, Message } from "../../SessionModel.ts"
import { KeyCounter } from "./KeyCounter.ts"

/**
 * Puts the tool calls that a replay lacks where they stand among the live entries. Agents do not replay a call of which
 * only a permission request told. The words around it are then one message, which is divided as it was live.
 */
export const restore = (live: ReadonlyArray<Entry>, replayed: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const replayedKeys = new Set(replayed.map(({ key }) => key))
  const isUnreplayed = (entry: Entry | undefined) => entry?._tag === "ToolCall" && !replayedKeys.has(entry.key)
  if (!live.some(isUnreplayed)) return replayed
  const hasPrompts = replayed.some(isOfUser)
  const positions = new Map(live.map(({ key }, index) => [key, index]))
  const restored: Array<Entry> = []
  let at = 0
  /** Where the next live entry stands that is no message of a user, if the replay has none of those. */
  const next = () => (hasPrompts ? at : live.findIndex((entry, index) => index >= at && !isOfUser(entry)))
  /** Adds the words before the calls that stand next, then these calls. */
  const takeCalls = (before: Message | undefined) => {
    const from = next()
    if (!isUnreplayed(live[from])) return false
    at = from
    if (before !== undefined) restored.push(before)
    for (let call = live[at]; call !== undefined && isUnreplayed(call); call = live[++at]) restored.push(call)
    return true
  }
  for (const entry of replayed) {
    takeCalls(undefined)
    if (!isPlain(entry)) {
      at = Math.max(at, (positions.get(entry.key) ?? -1) + 1)
      restored.push(entry)
      continue
    }
    let [taken, rest] = ["", entry.text]
    for (;;) {
      if (rest !== "" && takeCalls(taken === "" ? undefined : withText(entry, taken))) taken = ""
      const known = next()
      const text = textOf(live[known], entry)
      if (rest === "" || text === "" || !(rest.startsWith(text) || text.startsWith(rest))) break
      at = known + 1
      taken += rest.slice(0, text.length)
      rest = rest.slice(text.length)
    }
    restored.push(withText(entry, taken + rest))
  }
  return restored.length === replayed.length ? replayed : renumbered(restored)
}

/** Gives the messages without an id the keys that they would have had live. */
const renumbered = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const keys = new KeyCounter([])
  return entries.map((entry) =>
    entry._tag === "Message" && entry.messageId === undefined ? { ...entry, key: keys.next(entry.role) } : entry
  )
}

const isOfUser = (entry: Entry): boolean => entry._tag === "Message" && entry.role === "user"

/** Whether an entry is words alone, which go on where the same role speaks on. */
const isPlain = (entry: Entry | undefined): entry is Message =>
  entry?._tag === "Message" &&
  entry.messageId === undefined &&
  entry.text !== "" &&
  entry.content.every(({ type }) => type === "text")

const textOf = (entry: Entry | undefined, { role }: Message): string =>
  isPlain(entry) && entry.role === role ? entry.text : ""

const withText = (message: Message, text: string): Message =>
  message.text === text ? message : { ...message, text, content: [{ type: "text", text }] }
