import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { timeOf } from "../discord/Snowflake.ts"
import * as History from "../discord/History.ts"

/**
 * Like {@link after}, but nothing while Discord still refuses to show the same nonce twice: what was sent after so young
 * a message is found by sending it again.
 */
export const longAfter = Effect.fn("Sent.longAfter")(function* (channelId: string, messageId: string) {
  const now = yield* Clock.currentTimeMillis
  return now - timeOf(messageId) < nonceHolds ? [] : yield* after(channelId, messageId)
})

/**
 * The messages that this bot wrote in a channel after another message, oldest first; for what may have been sent before
 * a restart. Waits until Discord tells them. Where it refuses to, nothing: no more can be sent there either.
 */
export const after = Effect.fn("Sent.after")(function* (channelId: string, messageId: string) {
  const own: Array<IncomingMessage> = []
  yield* History.read(channelId, messageId, (messages) =>
    Effect.sync(() => {
      for (const message of messages) if (message.own !== undefined) own.push(message)
    })
  ).pipe(
    Effect.catchAll((error) => Effect.logInfo(`What was sent in channel ${channelId} cannot be read`, error.message))
  )
  return own
})

/** Discord remembers nonces for some minutes. */
const nonceHolds = 3 * 60_000
