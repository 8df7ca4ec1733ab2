import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { DiscordClient } from "../../discord/DiscordClient.ts"
import { isGone } from "../../discord/DiscordError.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import type { IncomingMessage } from "../../discord/DiscordEvent.ts"
import type { Priority } from "../../discord/RateBudget.ts"
import { Inbox, type InboxEntry, isLateOutput, type MessageText } from "../../store/Inbox.ts"

/** The text and files of a message for the task, without the mention of the bot. */
export const textOf = ({ attachments, content, place }: IncomingMessage): MessageText => ({
  attachments,
  content: place?.asksForTask === true ? place.prompt : content
})

/**
 * Reads a waiting message again when it may have changed while the gateway was away, or when its file URLs are old.
 * Returns whether the message changed.
 */
export const refresh = Effect.fn("QueuedMessage.refresh")(function* (entry: InboxEntry, priority?: Priority) {
  if (entry.state !== "queued" || entry.first || isLateOutput(entry)) return false
  const connectedSince = (yield* DiscordClient).connectedSince()
  const now = yield* Clock.currentTimeMillis
  const isCurrent = connectedSince !== undefined && entry.receivedAt >= connectedSince
  if (isCurrent && (entry.attachments.length === 0 || now - entry.receivedAt < fileUrlLifetimeMs)) return false
  const inbox = yield* Inbox
  // Wait for Discord: the author may have deleted or edited the message.
  return yield* retryWhileUnavailable((yield* DiscordApi).message(entry.threadId, entry.eventId, priority)).pipe(
    Effect.map(textOf),
    Effect.flatMap((text) => (isReadable(text) ? inbox.updateText(entry.eventId, text, entry) : Effect.succeed(false))),
    Effect.catchAll((error) =>
      isGone(error)
        ? inbox.remove(entry.eventId)
        : Effect.as(
            Effect.logInfo("A waiting message could not be read again; it is taken as it was", error.message),
            false
          )
    )
  )
})

/** Without the message content intent, Discord shows most messages as empty. */
const isReadable = ({ attachments, content }: MessageText): boolean => content.trim() !== "" || attachments.length > 0

/** Discord's file URLs work for about a day. */
const fileUrlLifetimeMs = 12 * 3_600_000
