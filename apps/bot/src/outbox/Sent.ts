import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { timeOf } from "../discord/Snowflake.ts"
import * as History from "../discord/History.ts"

/**
 * Like {@link ownMessagesAfter}, but empty while Discord still suppresses a repeated nonce: a repeated send then finds a young
 * message.
 */
export const afterNonceWindow = Effect.fn("Sent.afterNonceWindow")(function* (channelId: string, messageId: string) {
  const now = yield* Clock.currentTimeMillis
  return now - timeOf(messageId) < nonceWindowMs ? [] : yield* ownMessagesAfter(channelId, messageId)
})

/**
 * The bot's messages in a channel after a given one, oldest first, to find what was sent before a restart. Retries
 * while Discord is unavailable. Empty when Discord refuses the read: a send would fail, too.
 */
export const ownMessagesAfter = Effect.fn("Sent.ownMessagesAfter")(function* (channelId: string, messageId: string) {
  const ownMessages: Array<IncomingMessage> = []
  yield* History.read(channelId, messageId, (messages) =>
    Effect.sync(() => {
      for (const message of messages) if (message.own !== undefined) ownMessages.push(message)
    })
  ).pipe(
    Effect.catchAll((error) => Effect.logInfo(`What was sent in channel ${channelId} cannot be read`, error.message))
  )
  return ownMessages
})

/** Discord remembers nonces for a few minutes. */
export const nonceWindowMs = 3 * 60_000
