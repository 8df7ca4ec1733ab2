import * as Effect from "effect/Effect"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { Inbox } from "./Inbox.ts"
import * as Missed from "./Missed.ts"
import { Requests } from "./Requests.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"

/** Sets everything going that was stored and is not finished; what is under way already stays as it is. */
export const stored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  for (const { attempt, requestId } of requests) yield* TaskStart.enqueue(requestId, attempt)
  const entries = yield* (yield* Inbox).pending
  for (const { eventId, threadId } of entries) yield* ThreadOwner.deliver(threadId, eventId)
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
