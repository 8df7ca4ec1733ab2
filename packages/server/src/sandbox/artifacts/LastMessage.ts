import { field, stringField } from "../../internal/Json.ts"

/** Follows a turn for the last message that the agent says in it. */
export interface LastMessage {
  readonly begin: () => void
  readonly update: (update: unknown) => void
  /** The message, undefined when there is none or it is longer than anybody sums up. */
  readonly text: () => string | undefined
}

/** Makes a follower; a message ends where its id changes or the agent does something else. */
export const make = (): LastMessage => {
  let id: string | undefined
  let parts: Array<string> = []
  let length = 0
  let ended = true
  return {
    begin: () => {
      parts = []
      length = 0
      ended = true
    },
    update: (update) => {
      const kind = stringField(update, "sessionUpdate") ?? ""
      if (interruptions.has(kind)) ended = true
      if (kind !== "agent_message_chunk") return
      const text = stringField(field(update, "content"), "text") ?? ""
      const messageId = stringField(update, "messageId")
      if (text === "") return
      if (ended || messageId !== id) {
        parts = []
        length = 0
      }
      id = messageId
      ended = false
      length += text.length
      if (length <= longest) parts.push(text)
    },
    text: () => {
      const text = parts.join("").trim()
      return length > longest || text === "" ? undefined : text
    }
  }
}

const interruptions: ReadonlySet<string> = new Set(["tool_call", "user_message_chunk"])
const longest = 256 * 1024
