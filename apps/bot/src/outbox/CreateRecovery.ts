import * as Effect from "effect/Effect"
import type { DiscordApi } from "../discord/DiscordApi.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { cardsOf, insteadOf, type Posted, Posts, replaced, wasCreating } from "../store/Posts.ts"
import { isCard } from "../model/Post.ts"
import type { Watchdog } from "../concurrency/Watchdog.ts"
import * as Sent from "./Sent.ts"

/**
 * Finds a message that was created right before a crash, when no row has its id. It is a newer message of the bot with
 * the expected content.
 */
export const recoverCreate = Effect.fn("CreateRecovery.recoverCreate")(function* (
  { threadId, turnId }: { readonly threadId: string; readonly turnId: string },
  known: Map<string, Posted>
): Effect.fn.Return<void, never, DiscordApi | Posts | Watchdog> {
  const about = [...known.values()].find(({ messageId }) => messageId === undefined)
  if (about === undefined) return
  const posts = yield* Posts
  const newest = [...known.values()].reduce(
    (most, { messageId }) => (messageId !== undefined && isNewer(messageId, most) ? messageId : most),
    turnId
  )
  const sent = (yield* Sent.after(threadId, newest))
    .filter(({ content }) => wasCreating(about.hash, content))
    .map(({ id }) => id)
  const others = yield* posts.known(sent)
  const messageId = sent.findLast((id) => !others.has(id))
  if (messageId === undefined) return
  const old = insteadOf(about.hash)
  for (const posted of [...(old === undefined ? [] : [replaced(old)]), { ...about, messageId, hash: "" }]) {
    yield* posts.put(isCard(posted.key) ? cardsOf(threadId) : turnId, posted)
    known.set(posted.key, posted)
  }
})
