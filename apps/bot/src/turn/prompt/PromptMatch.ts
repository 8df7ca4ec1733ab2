import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type * as SessionState from "@heddle/acp/SessionState"
import type { Baseline } from "../../store/Turns.ts"
import type { History } from "../machine/State.ts"

/** What a prompt is recognised by in the history of a session. */
export type PromptIdentity = NonNullable<Baseline["asked"]>

const metaKey = "heddle/prompt"

/** Marks a prompt with a key of its own (`_meta` of its first text), which some services give back in the history. */
export const withKey = (blocks: ReadonlyArray<Wire.ContentBlock>, key: string): ReadonlyArray<Wire.ContentBlock> => {
  const firstTextIndex = blocks.findIndex(({ type }) => type === "text")
  return blocks.map((block, index) =>
    index === firstTextIndex && block.type === "text" ? { ...block, _meta: { ...block._meta, [metaKey]: key } } : block
  )
}

/** The mark of a prompt that is sent now. */
export const identifyPrompt = (
  session: SessionState.SessionState,
  blocks: ReadonlyArray<Wire.ContentBlock>,
  key: string
): PromptIdentity => ({
  after: session.entries.reduce((sum, entry) => sum + textOf(entry).length, 0),
  words: firstWords(blocks.map((block) => (block.type === "text" ? block.text : "")).join("")),
  key
})

/** What the history of a session tells about prompts. */
export const historyOf = (session: SessionState.SessionState): History => {
  if (countPrompts(session) > 0) return "WithUserMessages"
  return countAgentEntries(session) > 0 ? "WithoutUserMessages" : "Unknown"
}

/**
 * Whether a session holds the prompt of a turn. A session without user messages holds it when the agent has said
 * anything since the turn began.
 */
export const hasArrived = (session: SessionState.SessionState, baseline: Baseline): boolean =>
  baseline.asked === undefined
    ? countPrompts(session) > baseline.prompts
    : findPromptIndex(session, baseline) !== undefined ||
      (countPrompts(session) === 0 && countAgentEntries(session) > baseline.items)

/**
 * How many entries of the agent come before the answer to a turn's prompt. Answers to prompts of others do not belong to
 * the turn: while the session holds only those, it is Infinity.
 */
export const entriesBefore = (session: SessionState.SessionState, baseline: Baseline): number => {
  if (baseline.asked === undefined) return baseline.items
  const promptIndex = findPromptIndex(session, baseline)
  if (promptIndex !== undefined)
    return countAgentEntries({ ...session, entries: session.entries.slice(0, promptIndex) })
  return countPrompts(session) > baseline.prompts ? Infinity : baseline.items
}

/** How many entries of a session are the agent's. */
export const countAgentEntries = ({ entries }: Pick<SessionState.SessionState, "entries">): number =>
  entries.filter((entry) => !isPrompt(entry)).length

/** How many prompts a session has. */
export const countPrompts = ({ entries }: Pick<SessionState.SessionState, "entries">): number =>
  entries.filter(isPrompt).length

/** Whether an entry is a message of a user. */
export const isPrompt = (entry: SessionState.Entry): boolean => entry._tag === "Message" && entry.role === "user"

/** The index of a turn's prompt: by its key where the service gives keys back, by its words otherwise. */
const findPromptIndex = ({ entries }: SessionState.SessionState, { asked, prompts }: Baseline): number | undefined => {
  if (asked === undefined) return undefined
  const byKey = asked.key === undefined ? -1 : entries.findIndex((entry) => keyOf(entry) === asked.key)
  if (byKey !== -1) return byKey
  const hasKeys = entries.some((entry) => keyOf(entry) !== undefined)
  let promptCount = 0
  let chars = 0
  const promptIndex = entries.findIndex((entry) => {
    if (entry._tag !== "Message" || entry.role !== "user") return false
    // Without an id, messages that follow each other are read as one.
    const text = entry.text.slice(Math.max(0, asked.after - chars))
    chars += entry.text.length
    // Files have no key: a service keeps their names only.
    if (asked.words === "") return ++promptCount > prompts && entry.content.some(({ type }) => type !== "text")
    if (hasKeys && asked.key !== undefined && entry.messageId !== undefined) return false
    return chars > asked.after && containsPrompt(text, asked.words)
  })
  return promptIndex === -1 ? undefined : promptIndex
}

const textOf = (entry: SessionState.Entry): string =>
  entry._tag === "Message" && entry.role === "user" ? entry.text : ""

const keyOf = (entry: SessionState.Entry): string | undefined => {
  if (entry._tag !== "Message" || entry.role !== "user") return undefined
  for (const block of entry.content) {
    const key = block.type === "text" ? block._meta?.[metaKey] : undefined
    if (typeof key === "string") return key
  }
  return undefined
}

/** Agents may put text around a prompt; a few letters are part of many texts. */
const containsPrompt = (messageText: string, words: string): boolean => {
  const text = messageText.replace(/\s+/g, " ").trim()
  return text === words || text.startsWith(`${words} `) || (words.length >= 20 && text.includes(words))
}

/** How a text begins, in whatever layout. */
const firstWords = (text: string): string => text.slice(0, 4000).replace(/\s+/g, " ").trim().slice(0, 200).trim()
