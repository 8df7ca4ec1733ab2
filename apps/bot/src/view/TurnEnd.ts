import { languages } from "../messages/Translations.ts"

/** A turn's end as readers see it. */
export type TurnEnd = { readonly _tag: "Ended" } | { readonly _tag: "Failed"; readonly text: string }

/** Reads a turn's end from a message of the bot in any language; undefined for other messages. */
export const turnEndOf = (message: {
  readonly content: string
  readonly embeds: ReadonlyArray<{ readonly title?: string; readonly description?: string }>
}): TurnEnd | undefined => {
  const failed = message.embeds.find((embed) => languages.some(({ turnPosts }) => turnPosts.failed === embed.title))
  if (failed !== undefined) return { _tag: "Failed", text: failed.description ?? "" }
  const ends = languages.flatMap(({ turnPosts }) => [
    turnPosts.done,
    ...Object.values(turnPosts.stopped),
    turnPosts.ended("")
  ])
  // Links to changed cards may precede it.
  const last = message.content.split("\n").at(-1) ?? ""
  return ends.some((words) => last.startsWith(`-# ${words.trimEnd()}`)) ? { _tag: "Ended" } : undefined
}
