import { isRecord } from "../../internal/Json.ts"
import type { Entry } from "./Entry.ts"

/** Entries that become one: the last of them with new params, and without those from `first` on before it. */
export interface Joined {
  readonly first: number
  readonly last: number
  readonly params: string
}

/**
 * Finds what a replay may tell at once: pieces of one message that follow each other, and updates of one tool call that
 * follow each other with the same fields and status. Everything else stays as it was sent.
 */
export const compact = (entries: ReadonlyArray<Entry>): ReadonlyArray<Joined> => {
  const joined: Array<Joined> = []
  let run: Run | undefined
  const close = () => {
    if (run !== undefined && run.first < run.last) {
      const { first, last, update, sessionId } = run
      joined.push({ first, last, params: JSON.stringify({ sessionId, update }) })
    }
    run = undefined
  }
  for (const entry of entries) {
    const next = start(entry)
    const update = run === undefined || next === undefined ? undefined : join(run.update, next.update)
    if (run !== undefined && update !== undefined) {
      run = { ...run, last: entry.seq, update }
      continue
    }
    close()
    run = next
  }
  close()
  return joined
}

type Update = Readonly<Record<string, unknown>>

interface Run {
  readonly first: number
  readonly last: number
  readonly sessionId: unknown
  readonly update: Update
}

/** The update of an entry that could be joined with another one. */
const start = ({ method, params, seq }: Entry): Run | undefined => {
  if (method !== "session/update") return undefined
  const { sessionId, update, ...others } = JSON.parse(params) as Update
  if (!isRecord(update) || Object.keys(others).length > 0) return undefined
  return { first: seq, last: seq, sessionId, update }
}

/** One update that tells the same as two; undefined where there is none. */
const join = (one: Update, other: Update): Update | undefined => {
  const { sessionUpdate } = one
  if (sessionUpdate !== other["sessionUpdate"]) return undefined
  if (sessionUpdate === "tool_call_update") return joinToolCall(one, other)
  return sessionUpdate === "agent_message_chunk" || sessionUpdate === "agent_thought_chunk"
    ? joinText(one, other)
    : undefined
}

const joinText = (one: Update, other: Update): Update | undefined => {
  const [text, otherText] = [textOf(one), textOf(other)]
  return text === undefined || otherText === undefined || one["messageId"] !== other["messageId"]
    ? undefined
    : { ...one, content: { type: "text", text: text + otherText } }
}

/** The text of a piece that has nothing besides it and the id of its message. */
const textOf = (update: Update): string | undefined => {
  const { content } = update
  if (!isRecord(content) || !hasOnly(update, ["sessionUpdate", "messageId", "content"])) return undefined
  const isText = content["type"] === "text" && typeof content["text"] === "string" && hasOnly(content, ["type", "text"])
  return isText ? String(content["text"]) : undefined
}

const hasOnly = (value: Update, names: ReadonlyArray<string>): boolean =>
  Object.keys(value).every((name) => names.includes(name))

/** The later update, where it replaces all that the earlier one tells. */
const joinToolCall = (one: Update, other: Update): Update | undefined => {
  const names = Object.keys(one)
  const hasSameFields = names.length === Object.keys(other).length && names.every((name) => name in other)
  const isSame = ["toolCallId", "status", "title"].every((name) => one[name] === other[name])
  // Null keeps the earlier value, and agents append by _meta.
  const replaces = !("_meta" in other) && !Object.values(other).includes(null)
  return hasSameFields && isSame && replaces ? other : undefined
}
