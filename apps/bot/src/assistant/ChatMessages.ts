import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { guard, personOf } from "../access/Guard.ts"
import type { Action } from "../model/Access.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { isNotWritable } from "../discord/DiscordError.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { messagesFor } from "../store/Languages.ts"
import { refused } from "../messages/Refused.ts"
import { Conversations } from "./Conversations.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as History from "../discord/History.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import { Chats } from "../store/Chats.ts"

/** Handles a message in the thread of a chat; returns whether it was in one. */
export const receive = guard({
  person: (message: IncomingMessage) => personOf(message, message.place?.guildId),
  action: Effect.fnUntraced(function* ({ channelId, fromPerson }): Effect.fn.Return<Action, never, Chats> {
    const chat = yield* (yield* Chats).find(channelId)
    return Option.isNone(chat) || !fromPerson
      ? { _tag: "NothingHere" }
      : { _tag: "Assistant", ownerId: chat.value.ownerId }
  }),
  allowed: Effect.fnUntraced(function* (message) {
    const chat = yield* (yield* Chats).find(message.channelId)
    if (Option.isNone(chat)) return false
    yield* (yield* Conversations).addMessage(message)
    return true
  }),
  refused: Effect.fnUntraced(function* ({ channelId, id, place }, refusal, action) {
    const messages = yield* messagesFor(place?.guildId ?? "")
    yield* (yield* DiscordApi)
      .create(channelId, { content: refused(messages, refusal, action) }, { nonce: `h${id}`.slice(0, 25), replyTo: id })
      .pipe(Effect.catchAll((error) => Effect.logWarning("A reply could not be sent", error.message)))
    return true
  })
})

/**
 * Reads the messages that chats received while the bot was away, before later events. Threads without new messages cost
 * no call.
 */
export const readMissed = Effect.gen(function* () {
  const { thread: cachedThread } = yield* DiscordClient
  const queue = yield* ChannelQueue
  for (const { lastSeenId, threadId } of yield* (yield* Chats).all) {
    const last = cachedThread(threadId)?.lastMessageId
    if (last !== undefined && isNewer(last, lastSeenId)) yield* queue.add(threadId, read(threadId))
  }
}).pipe(Effect.withSpan("ChatMessages.readMissed"))

const read = Effect.fnUntraced(function* (threadId: string) {
  const chat = yield* (yield* Chats).find(threadId)
  if (Option.isNone(chat)) return
  yield* History.read(threadId, chat.value.lastSeenId, (messages) =>
    Effect.forEach(messages, (message) => retryWhileStoreFails("A message", receive(message)), { discard: true })
  ).pipe(
    Effect.catchAll((error) =>
      isNotWritable(error)
        ? Effect.flatMap(Conversations, (chatting) => chatting.close(threadId))
        : Effect.logError(`Discord refuses to tell what was written in chat ${threadId}`, error.message)
    )
  )
})
