import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { english as messages } from "../messages/Messages.ts"
import { Inbox } from "./Inbox.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"

/**
 * Takes a message that was written somewhere: in a thread with a task it becomes a row, then it is delivered.
 * What has to be said to its author besides is returned, so that reading on does not wait for it.
 */
export const receive = Effect.fn("Receive.receive")(function* (message: IncomingMessage) {
  if (message.bot) return Effect.void
  const threads = yield* Threads
  const found = yield* threads.find(message.channelId)
  if (Option.isNone(found) || found.value.closed) return Effect.void
  const { ownerId, threadId } = found.value
  if (decide(message.authorId, { _tag: "Reply", ownerId }) !== "allowed") {
    yield* threads.saw(threadId, message.id)
    const first = yield* threads.tellOnce(threadId, message.authorId)
    return first ? reply(message, messages.notYours(ownerId)) : Effect.void
  }
  const text = message.content.trim()
  if (text === "" && message.attachments.length === 0) {
    yield* threads.saw(threadId, message.id)
    return Effect.void
  }
  if (/^stop[.!]?$/i.test(text) && message.attachments.length === 0) {
    yield* threads.saw(threadId, message.id)
    return Effect.flatMap(ThreadOwner.stop(threadId), (what) => reply(message, messages.stop[what]))
  }
  const sql = yield* SqlClient.SqlClient
  const inbox = yield* Inbox
  const receivedAt = yield* Clock.currentTimeMillis
  const added = yield* sql
    .withTransaction(
      Effect.zipLeft(
        inbox.add({
          eventId: message.id,
          threadId,
          authorId: message.authorId,
          content: message.content,
          attachments: message.attachments,
          first: false,
          receivedAt
        }),
        threads.saw(threadId, message.id)
      )
    )
    .pipe(Effect.orDie)
  if (Option.isNone(added)) return Effect.void
  const queued = added.value.ahead > 0
  if (queued) yield* inbox.mark(message.id, true)
  yield* ThreadOwner.deliver(threadId, message.id)
  return queued ? markQueued(message) : Effect.void
})

const reply = (message: IncomingMessage, content: string) =>
  Effect.flatMap(DiscordApi, (api) =>
    api.create(message.channelId, { content }, { nonce: `r${message.id}`.slice(0, 25), replyTo: message.id })
  ).pipe(
    Effect.catchAll((error) => Effect.logWarning("A reply could not be sent", error.message)),
    Effect.asVoid
  )

const markQueued = (message: IncomingMessage) =>
  Effect.flatMap(DiscordApi, (api) => api.react(message.channelId, message.id, "⏳")).pipe(
    Effect.catchAll((error) => Effect.logDebug("A waiting message could not be marked", error.message))
  )
