import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { type Reply, Replies } from "../store/Replies.ts"
import * as Sent from "./Sent.ts"

/** Posts a stored reply and retries while Discord is unavailable; drops a rejected one. */
export const sendReply = Effect.fn("Replies.sendReply")(function* (reply: Reply) {
  const sent = yield* Sent.afterNonceWindow(reply.channelId, reply.messageId)
  const isSent = sent.some((message) => message.own === "reply" && message.content === reply.body.content)
  yield* isSent ? (yield* Replies).remove(reply.replyId) : sendNewReply(reply)
})

/** Posts a reply that was just stored and cannot exist yet. */
export const sendNewReply = Effect.fn("Replies.sendNewReply")(function* ({
  body,
  channelId,
  messageId,
  replyId
}: Reply) {
  const api = yield* DiscordApi
  const { button, content } = body
  const rows = button === undefined ? [] : [[{ ...button, style: "primary" as const }]]
  yield* retryWhileUnavailable(api.create(channelId, { content, rows }, { nonce: replyId, replyTo: messageId })).pipe(
    Effect.catchAll((error) => Effect.logWarning("A reply could not be sent", error.message))
  )
  yield* (yield* Replies).remove(replyId)
})
