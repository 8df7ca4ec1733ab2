import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { timeOf } from "../discord/Snowflake.ts"

/**
 * Like {@link after}, but nothing while Discord still refuses to show the same nonce twice: what was sent after so young
 * a message is found by sending it again.
 */
export const longAfter = Effect.fn("Sent.longAfter")(function* (channelId: string, messageId: string) {
  const now = yield* Clock.currentTimeMillis
  return now - timeOf(messageId) < nonceHolds ? [] : yield* after(channelId, messageId)
})

/**
 * The messages that this bot wrote in a channel after another message, oldest first, at most a hundred; for what may
 * have been sent before a restart. Nothing when they cannot be read.
 */
export const after = Effect.fn("Sent.after")(function* (channelId: string, messageId: string) {
  const messages = yield* (yield* DiscordApi)
    .messagesAfter(channelId, messageId)
    .pipe(
      Effect.catchAll((error) =>
        Effect.as(
          Effect.logInfo("What may have been sent before cannot be read", error.message),
          Array.of<IncomingMessage>()
        )
      )
    )
  return messages.filter(({ own }) => own !== undefined)
})

/** Discord remembers nonces for some minutes. */
const nonceHolds = 3 * 60_000
