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
  let id: string | undefined
  let parts: Array<string> = []
  let length = 0
  let isComplete = true
  return {
    begin: () => {
      parts = []
      length = 0
      isComplete = true
    },
    update: (update) => {
      const kind = stringField(update, "sessionUpdate") ?? ""
      if (interruptions.has(kind)) isComplete = true
      if (kind !== "agent_message_chunk") return
      const text = stringField(field(update, "content"), "text") ?? ""
      const messageId = stringField(update, "messageId")
      if (text === "") return
      if (isComplete || messageId !== id) {
        parts = []
        length = 0
      }
      id = messageId
      isComplete = false
      length += text.length
      if (length <= maxLength) parts.push(text)
    },
    text: () => {
      const text = parts.join("").trim()
      return length > maxLength || text === "" ? undefined : text
    }
  }
}

const interruptions: ReadonlySet<string> = new Set(["tool_call", "user_message_chunk"])
const maxLength = 256 * 1024
