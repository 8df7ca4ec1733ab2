import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { timeOf } from "../discord/Snowflake.ts"

/**
 * The messages that this bot wrote in a channel after another message, oldest first, at most a hundred; for what may
 * have been sent before a restart. Nothing while Discord still refuses to show the same nonce twice, and nothing when
 * they cannot be read.
 */
export const after = Effect.fn("Sent.after")(function* (channelId: string, messageId: string) {
  const now = yield* Clock.currentTimeMillis
  if (now - timeOf(messageId) < nonceHolds) return []
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
