/** How a round ended, as a reader of the thread sees it. */
export type RoundEnd = { readonly _tag: "Ended" } | { readonly _tag: "Failed"; readonly text: string }

/** Reads the end of a round back from a message of the bot; nothing when the message is no end. */
export const roundEnd = (message: {
  readonly content: string
  readonly embeds: ReadonlyArray<{ readonly title?: string; readonly description?: string }>
}): RoundEnd | undefined => {
  const failed = message.embeds.find((embed) => embed.title === "This did not work")
  if (failed !== undefined) return { _tag: "Failed", text: failed.description ?? "the round failed" }
  return /^-# (done|stopped|the agent declined|ended:)/.test(message.content) ? { _tag: "Ended" } : undefined
}
