import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { IncomingMessage, Written } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { Channels } from "./Channels.ts"
import { Inbox } from "./Inbox.ts"
import * as Missed from "./Missed.ts"
import { recheck } from "./Recheck.ts"
import * as Replies from "./Replies.ts"
import { Requests } from "./Requests.ts"
import * as StartHere from "./StartHere.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"

/** Sets everything going that was stored and is not finished; what is under way already stays as it is. */
export const stored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  for (const { attempt, requestId } of requests) yield* TaskStart.enqueue(requestId, attempt)
  const entries = yield* (yield* Inbox).pending
  for (const { eventId, threadId } of entries) yield* ThreadOwner.deliver(threadId, eventId)
  const replies = yield* (yield* Replies.Replies).owed
  // Discord may be slow, and nothing else waits for them.
  yield* Effect.forkScoped(Effect.forEach(replies, Replies.send, { discard: true }))
}).pipe(Effect.withSpan("CatchUp.stored"))

/**
 * Reads what was written in every thread while the bot was away, oldest first, and takes it like any other message.
 * Threads in which nothing was written, as the gateway told, cost no call; of archived ones the gateway tells nothing,
 * so they are returned, to be looked at when there is time.
 */
export const missed = Effect.gen(function* () {
  const { thread: known } = yield* DiscordClient
  const threads = yield* (yield* Threads).open
  const archived = threads.filter(({ threadId }) => known(threadId) === undefined)
  yield* Effect.forEach(
    threads,
    (thread) => {
      const there = known(thread.threadId)
      if (there === undefined) return Effect.void
      if (there.locked) return Missed.shut(thread.threadId)
      return there.lastMessageId !== undefined && isNewer(there.lastMessageId, thread.lastSeenId)
        ? Missed.read(thread, true)
        : Effect.void
    },
    { concurrency: 16, discard: true }
  )
  return Effect.forEach(archived, (thread) => Missed.read(thread, true), { discard: true })
}).pipe(Effect.withSpan("CatchUp.missed"))

/** Reads every message again that waits: it may have been edited or deleted while the bot was away. */
export const waiting = Effect.gen(function* () {
  for (const entry of yield* (yield* Inbox).pending) {
    if (yield* recheck(entry)) yield* ThreadOwner.requeued(entry.threadId)
  }
}).pipe(Effect.withSpan("CatchUp.waiting"))

/**
 * Reads what was written elsewhere while the bot was away: there it may have been asked for a task. `written` is what was
 * there when the gateway began to tell what is new.
 */
export const asked = Effect.fn("CatchUp.asked")(function* (written: ReadonlyArray<Written>) {
  const api = yield* DiscordApi
  const channels = yield* Channels
  const threads = yield* Threads
  const newest = written.reduce((most, { lastMessageId }) => (isNewer(lastMessageId, most) ? lastMessageId : most), "0")
  const since = yield* channels.seen
  // The first start: what was said before is not for the bot.
  if (Option.isNone(since)) return yield* channels.saw(newest)
  const read = Effect.fnUntraced(function* (channelId: string) {
    if (Option.isSome(yield* threads.find(channelId))) return
    let after: string | undefined = since.value
    while (after !== undefined) {
      const messages: ReadonlyArray<IncomingMessage> = yield* api.messagesAfter(channelId, after)
      for (const message of messages) yield* yield* StartHere.fromMessage(message)
      after = messages.length < 100 ? undefined : messages.at(-1)?.id
    }
  })
  yield* Effect.forEach(
    written.filter(({ lastMessageId }) => isNewer(lastMessageId, since.value)),
    ({ channelId }) =>
      Effect.catchAll(read(channelId), (error) =>
        // The bot may not read every channel.
        Effect.logDebug(`Channel ${channelId} could not be read`, error.message)
      ),
    { concurrency: 4, discard: true }
  )
  yield* channels.saw(newest)
})
