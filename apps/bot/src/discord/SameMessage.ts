import type { APIMessage } from "discord.js"
import { type MessageBody, toWire } from "./MessageBody.ts"

/** Whether a message has the content of a body, apart from files. Discord trims text and adds fields. */
export const says = (message: APIMessage, body: MessageBody): boolean => {
  const { components, content, embeds } = toWire(body)
  return holds(message.content, content) && holds(message.embeds, embeds) && holds(message.components ?? [], components)
}

const holds = (there: unknown, sent: unknown): boolean => {
  switch (typeof sent) {
    case "object":
      if (Array.isArray(sent)) {
        return (
          Array.isArray(there) && there.length === sent.length && sent.every((each, index) => holds(there[index], each))
        )
      }
      return (
        sent !== null &&
        typeof there === "object" &&
        there !== null &&
        Object.entries(sent).every(([name, value]) => holds(Reflect.get(there, name), value))
      )
    case "string":
      // An uploaded file gets a new address.
      return sent.startsWith("attachment://") || (typeof there === "string" && there.trim() === sent.trim())
    case "boolean":
      return (there ?? false) === sent
    default:
      return there === sent
  }
}
