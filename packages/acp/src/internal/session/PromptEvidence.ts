import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { SessionState } from "../../SessionState.ts"
import type { Finding } from "./SessionLife.ts"

/** A prompt as it went out: its entry in the state, its content, and the state before it. */
export interface PromptRecord {
  readonly key: string
  readonly content: ReadonlyArray<Wire.ContentBlock>
  readonly before: SessionState
}

/**
 * Looks for a prompt in a replayed history; `live` is the state with the prompt.
 *
 * The prompt is missing if the history has the same messages as before it. It is missing, too, if the history keeps the
 * `_meta` of messages and has neither that of the prompt nor its text. It is present if a message since has its `_meta`, or its text at a service that keeps no `_meta`. Any
 * other message proves nothing: it may be another client's, or the prompt in other words.
 *
 * A history without user messages shows only what the agent has added since; without that it proves nothing.
 */
export const find = (prompt: PromptRecord, history: SessionState, live: SessionState): Finding => {
  if (!showsUserMessages(history)) {
    return isFollowed(live, prompt.key) || hasNewOutput(prompt.before, history) ? "Present" : "Unproven"
  }
  if (
    (isUnchanged(prompt, history) && !isFollowed(live, prompt.key)) ||
    (lacksMeta(prompt, history) && lacksText(prompt, history))
  )
    return "Missing"
  const isAnswered = isEntryOf(prompt, live) && isFollowed(live, prompt.key)
  return isAnswered || isThere(prompt, history) ? "Present" : "Unproven"
}

/**
 * Tells whether the history has the messages from before the prompt, and no user message since. A history of the newest
 * messages only may have the prompt and its answer in place of equal ones: then every user message has the prompt's text.
 */
const isUnchanged = ({ before, content }: PromptRecord, history: SessionState): boolean =>
  userContent(history) === userContent(before) &&
  answerText(history).startsWith(answerText(before)) &&
  userMessages(history).some((message) => !hasText(message.text, normalized(content)))

/** Tells whether a message has a text; an empty one is in those without text. */
const hasText = (message: string, own: string): boolean => {
  const text = normalized([{ type: "text", text: message }])
  return own === "" ? text === "" : text.includes(own)
}

const answerText = ({ entries }: SessionState): string =>
  entries.map((entry) => (entry._tag === "Message" && entry.role === "agent" ? entry.text : "")).join("")

/** Tells whether one of the user messages since the prompt is surely the prompt. */
const isThere = ({ before, content }: PromptRecord, history: SessionState): boolean => {
  const [own, meta, was] = [normalized(content), metaOf(content), userText(before).length]
  const metas = metasOf(history)
  if (meta !== "" && metas.length > 0) return metas.includes(meta)
  let chars = 0
  return userMessages(history).some(({ text }) => {
    const since = text.slice(Math.max(0, was - chars))
    chars += text.length
    return chars > was && normalized([{ type: "text", text: since }]) === own
  })
}

/** Tells whether the history keeps the `_meta` of messages, and has not that of the prompt. */
const lacksMeta = ({ content }: PromptRecord, history: SessionState): boolean => {
  const [meta, metas] = [metaOf(content), metasOf(history)]
  return meta !== "" && metas.length > 0 && !metas.includes(meta)
}

/** The `_meta` of each block of the user messages that has one, as text. */
const metasOf = (history: SessionState): ReadonlyArray<string> =>
  userMessages(history)
    .flatMap(({ content }) => content.map((block) => metaOf([block])))
    .filter((each) => each !== "")

const userMessages = ({ entries }: SessionState) =>
  entries.flatMap((entry) => (entry._tag === "Message" && entry.role === "user" ? [entry] : []))

/** The first `_meta` of a content as text; empty without one. */
const metaOf = (content: ReadonlyArray<Wire.ContentBlock>): string => {
  const meta = content.map((block) => ("_meta" in block ? block._meta : undefined)).find((meta) => meta ?? false)
  return meta === undefined || meta === null ? "" : JSON.stringify(meta)
}

/** Tells whether the agent has said more, or called another tool, since the state before. */
const hasNewOutput = (before: SessionState, history: SessionState): boolean => {
  const [was, is] = [agentText(before), agentText(history)]
  const known = new Set(before.entries.map(({ key }) => key))
  return (
    (is.length > was.length && is.startsWith(was)) ||
    history.entries.some((entry) => entry._tag === "ToolCall" && !known.has(entry.key))
  )
}

const agentText = ({ entries }: SessionState): string =>
  entries.map((entry) => (entry._tag === "Message" && entry.role !== "user" ? entry.text : "")).join("")

const showsUserMessages = ({ entries }: SessionState): boolean =>
  entries.some((entry) => entry._tag === "Message" && entry.role === "user")

/** Tells whether the entry under the prompt's key is the prompt: a message of another client may have its key. */
export const isEntryOf = ({ content, key }: PromptRecord, { entries }: SessionState): boolean => {
  const entry = entries.find((each) => each.key === key)
  return entry?._tag === "Message" && normalized(entry.content) === normalized(content)
}

/** All user messages as one value, wherever one message ends and the next begins. */
const userContent = ({ entries }: SessionState): string =>
  JSON.stringify(
    entries
      .flatMap((entry) => (entry._tag === "Message" && entry.role === "user" ? entry.content : []))
      .reduce<Array<unknown>>((all, block) => {
        const last = all.at(-1)
        if (block.type !== "text") all.push(block)
        else if (typeof last === "string") all[all.length - 1] = last + block.text
        else all.push(block.text)
        return all
      }, [])
  )

/** Tells whether the user messages since the prompt have nothing of its text. */
const lacksText = ({ before, content }: PromptRecord, history: SessionState): boolean => {
  const [own, was, is] = [normalized(content), userText(before), userText(history)]
  const since = is.startsWith(was) ? normalized([{ type: "text", text: is.slice(was.length) }]) : ""
  return own !== "" && since !== "" && !since.includes(own)
}

const userText = ({ entries }: SessionState): string =>
  entries.map((entry) => (entry._tag === "Message" && entry.role === "user" ? entry.text : "")).join("")

/** The text of a content, whatever its layout. */
const normalized = (content: ReadonlyArray<Wire.ContentBlock>): string =>
  content
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("")
    .replace(/\s+/g, " ")
    .trim()

/** Tells whether the agent said or did something after an entry, or the entry is gone. */
const isFollowed = ({ entries }: SessionState, key: string): boolean => {
  const place = entries.findIndex((entry) => entry.key === key)
  const after = entries.slice(place + 1)
  return (
    place < 0 || after.some((entry) => entry._tag === "ToolCall" || (entry._tag === "Message" && entry.role !== "user"))
  )
}
