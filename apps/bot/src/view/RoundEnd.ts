import { languages } from "../messages/Translations.ts"

/** How a round ended, as a reader of the thread sees it. */
export type RoundEnd = { readonly _tag: "Ended" } | { readonly _tag: "Failed"; readonly text: string }

/** Reads the end of a round back from a message of the bot, in any language; nothing when the message is no end. */
export const roundEnd = (message: {
  readonly content: string
  readonly embeds: ReadonlyArray<{ readonly title?: string; readonly description?: string }>
}): RoundEnd | undefined => {
  const failed = message.embeds.find((embed) => languages.some(({ shown }) => shown.failed === embed.title))
  if (failed !== undefined) return { _tag: "Failed", text: failed.description ?? "" }
  const ends = languages.flatMap(({ shown }) => [shown.done, ...Object.values(shown.stopped), shown.ended("")])
  // Links to cards that the round changed may stand above.
  const last = message.content.split("\n").at(-1) ?? ""
  return ends.some((words) => last.startsWith(`-# ${words.trimEnd()}`)) ? { _tag: "Ended" } : undefined
}
