import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type * as SessionState from "@heddle/acp/SessionState"
import type { Baseline } from "../../../store/Turns.ts"
import * as AgentText from "./AgentText.ts"

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
export const identify = (
  session: SessionState.SessionState,
  blocks: ReadonlyArray<Wire.ContentBlock>,
  key: string
): PromptIdentity => {
  const words = firstWords(blocks.map((block) => (block.type === "text" ? block.text : "")).join(""))
  const before = usersText(session)
  const previousKey = session.entries.flatMap(keysOf).at(-1)
  return {
    after: before.length,
    hash: AgentText.hashOf(before),
    words,
    equal: session.entries.filter((entry) => containsPrompt(oneLine(textOf(entry)), words)).length,
    key,
    ...(previousKey === undefined ? {} : { previousKey })
  }
}

/** How many prompts a session has. */
export const count = ({ entries }: Pick<SessionState.SessionState, "entries">): number =>
  entries.filter(isPrompt).length

/** Whether an entry is a message of a user. */
export const isPrompt = (entry: SessionState.Entry): boolean => entry._tag === "Message" && entry.role === "user"

/**
 * The index of a turn's prompt: by its key where the service gives keys back, by its words otherwise. Another client's
 * message may begin with the same words, or have them inside: it counts where `acceptsSimilar`.
 */
export const find = (
  session: SessionState.SessionState,
  { asked, said }: Baseline,
  acceptsSimilar = false
): number | undefined => {
  if (asked === undefined) return undefined
  const { equal = 0, key } = asked
  const byKey = key === undefined ? -1 : session.entries.findIndex((entry) => keysOf(entry).includes(key))
  if (byKey !== -1) return byKey
  const byWords = (contains: (text: string, words: string) => boolean, equal: number) =>
    findByWords(session, { asked, said }, contains, equal)
  const same = keepsKeys(session, asked) ? undefined : byWords((text, words) => firstWords(text) === words, equal)
  if (same !== undefined || !acceptsSimilar) return same
  return byWords(containsPrompt, equal) ?? byWords((text, words) => text.includes(words), 0)
}

/**
 * Whether a session surely lacks a turn's prompt: it has nothing like it, but what came before. The key of an
 * earlier prompt shows that it reaches back that far. Without such a key, its messages must begin as before. A history that
 * was shortened, or that has other words instead, proves nothing.
 */
export const isAbsent = (session: SessionState.SessionState, baseline: Baseline): boolean => {
  const { asked } = baseline
  if (asked === undefined) return true
  const { previousKey } = asked
  const reachesBack = previousKey !== undefined && hasKey(session, previousKey)
  const isKept = previousKey === undefined && keepsKeys(session, asked)
  const isComplete =
    reachesBack || (beginsAsBefore(session, asked) && (isKept || isUnchanged(session, baseline, asked)))
  return isComplete && find(session, baseline, true) === undefined
}

const keepsKeys = (session: SessionState.SessionState, { key }: PromptIdentity): boolean =>
  key !== undefined && session.entries.some((entry) => keysOf(entry).length > 0)

const hasKey = (session: SessionState.SessionState, key: string): boolean =>
  session.entries.some((entry) => keysOf(entry).includes(key))

/** Whether the messages of users in a session begin with those from before a prompt: some services repeat the newest only. */
const beginsAsBefore = (session: SessionState.SessionState, { after, hash }: PromptIdentity): boolean => {
  const text = usersText(session)
  return hash === undefined ? text.length >= after : AgentText.hashOf(text.slice(0, after)) === hash
}

/**
 * Whether a session that begins as before a prompt has no more than then. A service that repeats only the newest messages
 * may have the prompt and its answer in place of equal ones: then every message of a user has the prompt's words.
 */
const isUnchanged = (
  session: SessionState.SessionState,
  { said }: Baseline,
  { after, words }: PromptIdentity
): boolean =>
  usersText(session).length === after &&
  (said === undefined || AgentText.beginsWith(session, said)) &&
  (count(session) === 0 || session.entries.some((entry) => isPrompt(entry) && !oneLine(textOf(entry)).includes(words)))

/** The text of all messages of users. */
const usersText = ({ entries }: SessionState.SessionState): string => entries.map(textOf).join("")

/** The index of a message with the words of a first prompt, which the service runs by itself. */
export const findFirst = ({ entries }: SessionState.SessionState, words: string): number | undefined => {
  const index = entries.findIndex((entry) => isPrompt(entry) && oneLine(textOf(entry)).includes(words))
  return index === -1 ? undefined : index
}

/** `equal`: so many messages with the same words come before the prompt. */
const findByWords = (
  session: SessionState.SessionState,
  { asked, said }: { readonly asked: PromptIdentity; readonly said: Baseline["said"] },
  contains: (messageText: string, words: string) => boolean,
  equal: number
): number | undefined => {
  const { entries } = session
  const hasKeys = entries.some((entry) => keysOf(entry).length > 0)
  // The prompt comes after all that the agent had said before it, where the session still has that. An equal message of an
  // earlier time does not.
  const charsOfAgent = said !== undefined && AgentText.beginsWith(session, said) ? said.chars : 0
  let agentChars = 0
  let equalCount = 0
  let chars = 0
  const promptIndex = entries.findIndex((entry) => {
    agentChars += AgentText.ofEntry(entry).length
    if (entry._tag !== "Message" || entry.role !== "user") return false
    // Without an id, messages that follow each other are read as one.
    const charsBefore = chars
    const text = entry.text.slice(Math.max(0, asked.after - charsBefore))
    chars += entry.text.length
    if (containsPrompt(oneLine(entry.text), asked.words)) equalCount++
    // The beginning of a message belongs to its key.
    if (blockKeys(entry)[0] !== undefined && asked.after <= charsBefore) return false
    if (hasKeys && asked.key !== undefined && entry.messageId !== undefined) return false
    const isLater = charsOfAgent > 0 ? agentChars >= charsOfAgent : equalCount > equal || equal === 0
    return chars > asked.after && isLater && contains(oneLine(text), asked.words)
  })
  return promptIndex === -1 ? undefined : promptIndex
}

const textOf = (entry: SessionState.Entry): string =>
  entry._tag === "Message" && entry.role === "user" ? entry.text : ""

/** The keys of the blocks of an entry: messages that follow each other may be read as one. */
export const keysOf = (entry: SessionState.Entry): ReadonlyArray<string> =>
  blockKeys(entry).filter((key) => key !== undefined)

const blockKeys = (entry: SessionState.Entry): ReadonlyArray<string | undefined> =>
  entry._tag !== "Message" || entry.role !== "user"
    ? []
    : entry.content.map((block) => {
        const key = block.type === "text" ? block._meta?.[metaKey] : undefined
        return typeof key === "string" ? key : undefined
      })

/** Agents may put text around a prompt; a few letters are part of many texts. */
const containsPrompt = (text: string, words: string): boolean =>
  text === words || text.startsWith(`${words} `) || (words.length >= 20 && text.includes(words))

/** How a text begins, in whatever layout. */
export const firstWords = (text: string): string => oneLine(text.slice(0, 4000)).slice(0, 200).trim()

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
