import type { Emulator } from "@heddle/discord-emulator"
import * as Timestamps from "./Timestamps.ts"

/** A thread's message in the terminal: author, and lines of text, cards, files and buttons. */
type Message = ReturnType<Emulator["messages"]>[number]

/** Prints a thread to the terminal as it grows. */
export interface Terminal {
  /** Prints a new or changed message. */
  readonly show: (kind: "created" | "edited" | "deleted", message: Message) => void
  /** Prints a line outside of the thread, on standard error. */
  readonly note: (text: string) => void
}

/** One line of JSON per message or edit. */
export const json = (out: (line: string) => void, note: (text: string) => void): Terminal => ({
  show: (kind, message) => out(`${JSON.stringify({ event: kind, message })}\n`),
  note
})

/** Text for people. A growing message is printed once, followed by its additions; a changed card is printed again. */
export const text = (out: (line: string) => void, note: (text: string) => void, users: Emulator["users"]): Terminal => {
  const printedTexts = new Map<string, string>()
  let lastMessageId = ""
  return {
    show: (kind, message) => {
      const previous = printedTexts.get(message.id)
      const current =
        kind === "deleted"
          ? "(deleted)"
          : printable(Timestamps.readable(replaceMentions(render(message), users), Date.now()))
      if (previous === current || (previous === undefined && current === "")) return
      printedTexts.set(message.id, current)
      if (previous !== undefined && lastMessageId === message.id && current.startsWith(previous)) {
        out(current.slice(previous.length))
        return
      }
      const name = printable(message.author.global_name ?? message.author.username)
      out(`${lastMessageId === "" ? "" : "\n\n"}${name}${previous === undefined ? "" : " (edited)"}\n${current}`)
      lastMessageId = message.id
    },
    note
  }
}

/** Shows control and direction characters in escaped form. */
const printable = (text: string): string =>
  text.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Shows mentions by name. */
const replaceMentions = (text: string, users: Emulator["users"]): string =>
  text.replace(/<@!?(\d+)>/g, (mention, id: string) => {
    const user = users.find((each) => each.id === id)
    return user === undefined ? mention : `@${user.username}`
  })

/** The lines of a message: content, embeds, attachments, buttons. */
export const render = (message: Message): string => {
  const embeds = message.embeds.map((embed) => {
    const fields = (embed.fields ?? []).map((field) => `${field.name}: ${field.value}`)
    const image = embed.image === undefined ? [] : [`[image] ${embed.image.url.split("/").at(-1)}`]
    const lines = [embed.title, embed.description, ...fields, ...image, embed.footer?.text]
    return lines
      .flatMap((part) => (part === undefined || part === "" ? [] : part.split("\n")))
      .map((line) => `│ ${line}`)
      .join("\n")
  })
  const files = message.attachments.map((file) => `[file] ${file.filename} (${file.size} bytes)`)
  const buttons = (message.components ?? []).flatMap((row) =>
    "components" in row
      ? [
          row.components
            .flatMap((item) =>
              "label" in item && item.label !== undefined
                ? [`[${item.label}${"disabled" in item && item.disabled === true ? " ×" : ""}]`]
                : []
            )
            .join(" ")
        ]
      : []
  )
  return [message.content, ...embeds, ...files, ...buttons].filter((part) => part !== "").join("\n")
}
