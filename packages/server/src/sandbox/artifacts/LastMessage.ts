import { field, stringField } from "../../internal/Json.ts"

/** Collects the last message of the agent in a turn. */
export interface LastMessage {
  readonly begin: () => void
  readonly update: (update: unknown) => void
  /** The message; undefined when there is none or it is too long for a summary. */
  readonly text: () => string | undefined
}

/** A message ends where its id changes or the agent does something else. */
export const make = (): LastMessage => {
  let message = none
  return {
    begin: () => {
      message = none
    },
    update: (update) => {
      message = step(message, update)
    },
    text: () => {
      const text = message.text.trim()
      return text === "" ? undefined : text
    }
  }
}

interface Message {
  readonly id: string | undefined
  /** Empty when it is too long. */
  readonly text: string
  readonly length: number
  readonly isComplete: boolean
}

const none: Message = { id: undefined, text: "", length: 0, isComplete: true }

/** The last message after an update of the session. */
const step = (message: Message, update: unknown): Message => {
  const kind = stringField(update, "sessionUpdate") ?? ""
  if (interruptions.has(kind)) return { ...message, isComplete: true }
  const chunk = kind === "agent_message_chunk" ? (stringField(field(update, "content"), "text") ?? "") : ""
  if (chunk === "") return message
  const id = stringField(update, "messageId")
  const before = message.isComplete || id !== message.id ? none : message
  const length = before.length + chunk.length
  return { id, text: length > maxLength ? "" : before.text + chunk, length, isComplete: false }
}

const interruptions: ReadonlySet<string> = new Set(["tool_call", "user_message_chunk"])
const maxLength = 256 * 1024
