import type { Entry, Message } from "../../SessionModel.ts"
import { KeyCounter } from "./KeyCounter.ts"
import { appendBlock } from "./MessageDrafts.ts"

/**
 * Lays a replay that leaves out the messages of users over the live entries. In such a replay the messages of an agent to
 * several prompts may be one. Entries of both stay as they were live. Entries of the replay alone are added in
 * their place; entries of the live history alone are kept.
 */
export const align = (
  live: ReadonlyArray<Entry>,
  replayed: ReadonlyArray<Entry>,
  same: (a: Entry, b: Entry) => boolean
): ReadonlyArray<Entry> => {
  const keys = new KeyCounter(live)
  const positions = new Map(live.map(({ key }, index) => [key, index]))
  const aligned: Array<Entry> = []
  let at = 0
  const takeLive = (to: number) => {
    for (const entry of live.slice(at, to)) aligned.push(entry)
    at = to
  }
  /** The next live entry that the replay may have. */
  const nextReplayable = () => {
    let next = at
    while (isOfUser(live[next])) next++
    return next
  }
  const add = (entry: Entry) => {
    if (nextReplayable() === live.length) takeLive(live.length)
    aligned.push(
      positions.has(entry.key) && entry._tag === "Message" ? { ...entry, key: keys.next(entry.role) } : entry
    )
  }

  for (const entry of replayed) {
    if (entry._tag !== "Message" || entry.text === "") {
      const known = positions.get(entry.key) ?? -1
      const before = live[known]
      if (before === undefined || known < at) add(entry)
      else {
        takeLive(known)
        aligned.push(same(before, entry) ? before : entry)
        at++
      }
      continue
    }
    let rest = entry.text
    for (;;) {
      const next = nextReplayable()
      const shown = textOf(live[next], entry.role)
      if (rest === "" || shown === "" || !(rest.startsWith(shown) || shown.startsWith(rest))) break
      takeLive(next + 1)
      rest = rest.slice(shown.length)
    }
    if (rest === "") continue
    const last = aligned.at(-1)
    const continues = rest !== entry.text && last?._tag === "Message" && last.role === entry.role && !isOfUser(live[at])
    if (continues) aligned[aligned.length - 1] = extended(last, rest)
    else add(rest === entry.text ? entry : { ...entry, text: rest, content: [{ type: "text", text: rest }] })
  }
  takeLive(live.length)
  return aligned
}

const isOfUser = (entry: Entry | undefined): boolean => entry?._tag === "Message" && entry.role === "user"

const textOf = (entry: Entry | undefined, role: Message["role"]): string =>
  entry?._tag === "Message" && entry.role === role ? entry.text : ""

const extended = (message: Message, text: string): Message => ({
  ...message,
  text: message.text + text,
  content: appendBlock([...message.content], { type: "text", text })
})
