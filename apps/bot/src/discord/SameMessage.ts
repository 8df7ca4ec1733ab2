import type { APIMessage } from "discord.js"
import { type MessageBody, toWire } from "./MessageBody.ts"

/**
 * Whether a stored message has the content of a body, apart from files. An old
 * message that already shows the content needs no replacement. Discord trims text and adds fields.
 */
export const hasContentOf = (message: APIMessage, body: MessageBody): boolean => {
  const { components, content, embeds } = toWire(body)
  return (
    matches(message.content, content) &&
    matches(message.embeds, embeds) &&
    matches(message.components ?? [], components)
  )
}

const matches = (stored: unknown, sent: unknown): boolean => {
  switch (typeof sent) {
    case "object":
      if (Array.isArray(sent)) {
        return (
          Array.isArray(stored) &&
          stored.length === sent.length &&
          sent.every((each, index) => matches(stored[index], each))
        )
      }
      return (
        // `toWire` sends no null.
        sent !== null &&
        typeof stored === "object" &&
        stored !== null &&
        Object.entries(sent).every(([name, value]) => matches(Reflect.get(stored, name), value))
      )
    case "string":
      // An uploaded file gets a new address.
      return sent.startsWith("attachment://") || (typeof stored === "string" && stored.trim() === sent.trim())
    case "boolean":
      // Discord omits false.
      return (stored ?? false) === sent
    default:
      return stored === sent
  }
}
