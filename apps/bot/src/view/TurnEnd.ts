import { languages } from "../messages/Translations.ts"

/** How a turn ended, as a reader of the thread sees it. */
export type TurnEnd = { readonly _tag: "Ended" } | { readonly _tag: "Failed"; readonly text: string }

/** Reads the end of a turn from a message of the bot, in any language; undefined for any other message. */
export const turnEndOf = (message: {
  readonly content: string
  readonly embeds: ReadonlyArray<{ readonly title?: string; readonly description?: string }>
}): TurnEnd | undefined => {
  const failed = message.embeds.find((embed) => languages.some(({ shown }) => shown.failed === embed.title))
  if (failed !== undefined) return { _tag: "Failed", text: failed.description ?? "" }
  const ends = languages.flatMap(({ shown }) => [shown.done, ...Object.values(shown.stopped), shown.ended("")])
  // Links to cards that the turn changed may stand above.
  const last = message.content.split("\n").at(-1) ?? ""
  return ends.some((words) => last.startsWith(`-# ${words.trimEnd()}`)) ? { _tag: "Ended" } : undefined
}
