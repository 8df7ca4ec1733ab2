import * as Effect from "effect/Effect"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { artifactCardsOf, isCreating, type Posted, Posts, replaced, unknownContent } from "../store/Posts.ts"
import { isArtifactCard } from "../model/Post.ts"

/**
 * Finds the messages of posts whose creation was begun right before a crash or a failure, when no row has their ids. They
 * are newer messages of the bot with the expected content. `read` returns the bot's messages in a channel after a given one.
 */
export const recoverCreate = Effect.fn("CreateRecovery.recoverCreate")(function* <E, R>(
  { threadId, turnId }: { readonly threadId: string; readonly turnId: string },
  existing: Map<string, Posted>,
  begun: ReadonlyArray<Posted>,
  read: (channelId: string, after: string) => Effect.Effect<ReadonlyArray<IncomingMessage>, E, R>
): Effect.fn.Return<void, E, Posts | R> {
  if (begun.length === 0) return
  const posts = yield* Posts
  const newestKnownId = [...existing.values()].reduce(
    (newestId, { messageId }) => (messageId !== undefined && isNewer(messageId, newestId) ? messageId : newestId),
    turnId
  )
  const sent = yield* read(threadId, newestKnownId)
  for (const pending of begun) {
    const sentIds = sent.filter(({ content }) => isCreating(pending.hash, content)).map(({ id }) => id)
    const knownIds = yield* posts.knownMessageIds(sentIds)
    const messageId = sentIds.findLast((id) => !knownIds.has(id))
    if (messageId === undefined) continue
    for (const posted of [
      ...(pending.messageId === undefined ? [] : [replaced(pending.messageId)]),
      { ...pending, messageId, hash: unknownContent }
    ]) {
      yield* posts.put(isArtifactCard(posted.key) ? artifactCardsOf(threadId) : turnId, posted)
      existing.set(posted.key, posted)
    }
  }
})
