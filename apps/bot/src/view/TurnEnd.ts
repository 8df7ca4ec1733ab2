import { languages } from "../messages/Translations.ts"

/** A turn's end as readers see it. */
export type TurnEnd = { readonly _tag: "Ended" } | { readonly _tag: "Failed"; readonly text: string }

/** Reads a turn's end from a message of the bot in any language; undefined for other messages. */
export const turnEndOf = (message: {
  readonly content: string
  readonly embeds: ReadonlyArray<{ readonly title?: string; readonly description?: string }>
}): TurnEnd | undefined => {
  const failedEmbed = message.embeds.find((embed) =>
    languages.some(({ turnPosts }) => turnPosts.failed === embed.title)
  )
  if (failedEmbed !== undefined) return { _tag: "Failed", text: failedEmbed.description ?? "" }
  const ends = languages.flatMap(({ turnPosts }) => [
    turnPosts.done,
    ...Object.values(turnPosts.stopped),
    turnPosts.ended("")
  ])
  // The last words of the answer or links to changed cards may precede it.
  const lastLine = message.content.split("\n").at(-1) ?? ""
  return ends.some((words) => lastLine.startsWith(`-# ${words.trimEnd()}`)) ? { _tag: "Ended" } : undefined
}
