import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { BotSettings } from "../../model/BotSettings.ts"
import { timeOf } from "../../discord/Snowflake.ts"
import { artifactCardKey } from "../../model/Post.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import type { CardLink } from "../../model/Conversation.ts"
import { artifactCardsOf, Posts } from "../../store/Posts.ts"
import type { Thread } from "../../store/Threads.ts"
import type { TurnRow } from "../../store/Turns.ts"

/** Where the messages of a thread's cards are, by uri. */
export const makeLinkLookup = Effect.fn("CardLinks.makeLinkLookup")(function* ({
  guildId,
  threadId
}: Pick<Thread, "guildId" | "threadId">) {
  const posted = yield* (yield* Posts).ofTurn(artifactCardsOf(threadId))
  const messages = new Map(posted.map(({ key, messageId }) => [key, messageId]))
  return (uri: string): Link | undefined => {
    const messageId = messages.get(artifactCardKey(uri))
    if (messageId === undefined) return undefined
    return { url: `https://discord.com/channels/${guildId}/${threadId}/${messageId}`, at: timeOf(messageId) }
  }
})

/** The address of a message, and when it was posted in epoch milliseconds. */
export interface Link {
  readonly url: string
  readonly at: number
}

/** The cards that a turn changed and that stand before it; those that are too old to be changed there come again below. */
export const changedCardLinks = Effect.fn("CardLinks.changedCardLinks")(function* (
  thread: Thread,
  { startedAt, turnId }: TurnRow,
  cards: ReadonlyArray<ArtifactCard>
) {
  const { rollAfterMs } = yield* BotSettings
  const now = yield* Clock.currentTimeMillis
  const linkOf = yield* makeLinkLookup(thread)
  return cards.flatMap((card): ReadonlyArray<CardLink> => {
    if (card.changedIn !== turnId || card.madeIn === turnId) return []
    const link = linkOf(card.uri)
    return link === undefined || link.at >= startedAt || now - link.at > rollAfterMs ? [] : [{ card, url: link.url }]
  })
})
