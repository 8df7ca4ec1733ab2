import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isShut } from "../discord/DiscordError.ts"
import { Inbox } from "./Inbox.ts"
import { receive } from "./Receive.ts"
import { Requests } from "./Requests.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { type Thread, Threads } from "./Threads.ts"

/** Sets everything going that was stored and is not finished; what is under way already stays as it is. */
export const stored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  for (const { attempt, requestId } of requests) yield* TaskStart.enqueue(requestId, attempt)
  const entries = yield* (yield* Inbox).pending
  for (const { eventId, threadId } of entries) yield* ThreadOwner.deliver(threadId, eventId)
}).pipe(Effect.withSpan("CatchUp.stored"))

/** Reads what was written in every thread while the bot was away, oldest first, and takes it like any other message. */
export const missed = Effect.gen(function* () {
  const threads = yield* (yield* Threads).open
  yield* Effect.forEach(threads, catchUp, { concurrency: 8, discard: true })
}).pipe(Effect.withSpan("CatchUp.missed"))

const catchUp = Effect.fnUntraced(function* (thread: Thread) {
  const api = yield* DiscordApi
  const read = Effect.gen(function* () {
    let after = thread.lastSeenId
    for (;;) {
      const messages = yield* api.messagesAfter(thread.threadId, after)
      for (const message of messages) yield* Effect.flatten(receive(message))
      const last = messages.at(-1)
      if (last === undefined || messages.length < 100) return
      after = last.id
    }
  })
  yield* read.pipe(
    Effect.catchAll((error) =>
      isShut(error)
        ? Effect.flatMap(Threads, (threads) => Effect.flatMap(Clock.currentTimeMillis, (now) => threads.close(thread.threadId, now)))
        : Effect.logWarning(`Thread ${thread.threadId} could not be caught up`, error.message)
    )
  )
})
