import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { english as messages } from "../messages/Messages.ts"
import { Inbox } from "./Inbox.ts"
import * as Replies from "./Replies.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"
import { Turns } from "./Turns.ts"
import { wordsOf } from "./Words.ts"

/**
 * Takes a message that was written somewhere: in a thread with a task (`bound`) it becomes a row, then it is delivered.
 * Tells whether it was `taken` as a prompt just now. What has to be said to its author besides is returned as `aside`,
 * so that reading on does not wait for it.
 */
export const receive = Effect.fn("Receive.receive")(function* (
  message: IncomingMessage,
  { late }: { readonly late: boolean }
) {
  const threads = yield* Threads
  const sql = yield* SqlClient.SqlClient
  if (!message.fromPerson) {
    yield* threads.saw(message.channelId, message.id)
    return nothing
  }
  const found = yield* threads.find(message.channelId)
  if (Option.isNone(found)) return { ...nothing, bound: false }
  if (found.value.closed) return nothing
  const { ownerId, threadId } = found.value
  if (decide(message.authorId, { _tag: "Reply", ownerId }) !== "allowed") {
    const reply = replyTo(message, messages.notYours(ownerId))
    const first = yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* threads.saw(threadId, message.id)
          const first = yield* threads.tellOnce(threadId, message.authorId)
          if (first) yield* (yield* Replies.Replies).owe(reply)
          return first
        })
      )
      .pipe(Effect.orDie)
    return first ? { ...nothing, aside: Replies.send(reply) } : nothing
  }
  const { attachments, content } = wordsOf(message)
  const text = content.trim()
  if (text === "" && message.attachments.length === 0) {
    yield* threads.saw(threadId, message.id)
    return nothing
  }
  if (/^stop[.!]?$/i.test(text) && message.attachments.length === 0) {
    return { ...nothing, aside: yield* stop(message) }
  }
  const inbox = yield* Inbox
  const receivedAt = yield* Clock.currentTimeMillis
  const taken = yield* sql
    .withTransaction(
      Effect.zipLeft(
        inbox.add({
          eventId: message.id,
          threadId,
          authorId: message.authorId,
          authorName: message.authorName,
          content,
          attachments,
          first: false,
          late,
          receivedAt
        }),
        threads.saw(threadId, message.id)
      )
    )
    .pipe(Effect.orDie)
  if (taken) yield* ThreadOwner.deliver(threadId, message.id)
  return { ...nothing, taken }
})

/** A message was edited: while it waits, its new words count; when the agent has it already, its author is told. */
export const edited = Effect.fn("Receive.edited")(function* (message: IncomingMessage) {
  const inbox = yield* Inbox
  const before = yield* inbox.find(message.id)
  if (Option.isNone(before)) return Effect.void
  const { attachments, content, first, state, threadId } = before.value
  const now = wordsOf(message)
  // Without the message content intent, Discord shows most messages as empty.
  if (now.content.trim() === "" && now.attachments.length === 0) return Effect.void
  if (state === "queued" && !first) {
    if (yield* inbox.revise(message.id, now)) yield* ThreadOwner.requeued(threadId)
    return Effect.void
  }
  // Discord also tells of previews that it made for links, and of files with new addresses.
  const same = content === now.content && attachments.length === now.attachments.length
  if (state !== "running" || first || same) return Effect.void
  const reply = replyTo(message, messages.editedTooLate, "e")
  yield* (yield* Replies.Replies).owe(reply)
  return Replies.send(reply)
})

/** Messages were deleted: those that wait are out of the queue. */
export const deleted = Effect.fn("Receive.deleted")(function* (threadId: string, messageIds: ReadonlyArray<string>) {
  const inbox = yield* Inbox
  const removed = yield* Effect.forEach(messageIds, inbox.remove)
  if (removed.includes(true)) yield* ThreadOwner.requeued(threadId)
})

const nothing = { bound: true, taken: false, aside: Effect.void }

/** That a turn is to be stopped, and what is said to that, is stored; what is left to do is returned. */
const stop = Effect.fnUntraced(function* (message: IncomingMessage) {
  const { channelId: threadId, id } = message
  const sql = yield* SqlClient.SqlClient
  const { asked, reply } = yield* sql
    .withTransaction(
      Effect.gen(function* () {
        yield* (yield* Threads).saw(threadId, id)
        const asked = yield* (yield* Turns).askStop(threadId, yield* Clock.currentTimeMillis)
        const waiting = yield* (yield* Inbox).queued(threadId)
        const next = waiting.length === 0 ? "" : ` ${messages.stillWaiting(waiting.length)}`
        const reply = replyTo(message, `${messages.stop[asked._tag]}${next}`)
        yield* (yield* Replies.Replies).owe(reply)
        return { asked, reply }
      })
    )
    .pipe(Effect.orDie)
  const signal = asked._tag === "Stopping" ? ThreadOwner.stop(threadId, asked.turnId) : Effect.void
  return Effect.zipRight(signal, Replies.send(reply))
})

const replyTo = (message: IncomingMessage, content: string, purpose = "r"): Replies.Reply => ({
  replyId: `${purpose}${message.id}`.slice(0, 25),
  channelId: message.channelId,
  messageId: message.id,
  body: { content }
})
