import type { Emulator } from "@heddle/discord-emulator"

/** One message of the thread as the terminal shows it: who, and the lines of text, cards, files and buttons. */
type Message = ReturnType<Emulator["messages"]>[number]

/** Writes a thread to the terminal as it grows. */
export interface Terminal {
  /** Shows a message that is new or has changed. */
  readonly show: (kind: "created" | "edited" | "deleted", message: Message) => void
  /** Says something that is not part of the thread, on standard error. */
  readonly note: (text: string) => void
}

/** One JSON object per Discord message or edit, a line each. */
export const json = (out: (line: string) => void, note: (text: string) => void): Terminal => ({
  show: (kind, message) => out(`${JSON.stringify({ event: kind, message })}\n`),
  note
})

/**
 * Text for people. A message that only grows is printed once, and then only what was added;
 * a card that changes is printed again under its author's name.
 */
export const text = (out: (line: string) => void, note: (text: string) => void, users: Emulator["users"]): Terminal => {
  const shown = new Map<string, string>()
  let last = ""
  return {
    show: (kind, message) => {
      const before = shown.get(message.id)
      const now = kind === "deleted" ? "(deleted)" : printable(named(render(message), users))
      if (before === now || (before === undefined && now === "")) return
      shown.set(message.id, now)
      if (before !== undefined && last === message.id && now.startsWith(before)) {
        out(now.slice(before.length))
        return
      }
      const name = printable(message.author.global_name ?? message.author.username)
      out(`${last === "" ? "" : "\n\n"}${name}${before === undefined ? "" : " (edited)"}\n${now}`)
      last = message.id
    },
    note
  }
}

/** Signs that would steer the terminal or turn its text around are shown as what they are. */
const printable = (text: string): string =>
  text.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Mentions by name: an id says nothing to a reader. */
const named = (text: string, users: Emulator["users"]): string =>
  text.replace(/<@!?(\d+)>/g, (mention, id: string) => {
    const user = users.find((each) => each.id === id)
    return user === undefined ? mention : `@${user.username}`
  })

/** A message as lines: content, embeds, attachments, buttons. */
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
