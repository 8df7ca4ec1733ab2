import * as Record from "effect/Record"

const emojis = { working: "⏳", waiting: "✋", done: "✅", failed: "❌" } as const

/** The tags of forums for the status of a task, from their names in one language; at most 20 characters each. */
export const statusTags = (names: { readonly [Status in keyof typeof emojis]: string }) =>
  Record.map(emojis, (emojiName, status) => ({ name: names[status], emojiName: emojiName as string }))
