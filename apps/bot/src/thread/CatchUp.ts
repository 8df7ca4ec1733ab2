import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { Inbox } from "./Inbox.ts"
import type { Lanes } from "./Lanes.ts"
import * as Missed from "./Missed.ts"
import { Requests } from "./Requests.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { type Thread, Threads } from "./Threads.ts"

/** Sets everything going that was stored and is not finished; what is under way already stays as it is. */
export const stored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  yield* Effect.forEach(requests, ({ attempt, requestId }) => TaskStart.enqueue(requestId, attempt), sideBySide)
  const entries = yield* (yield* Inbox).pending
  const threads = Object.entries(Arr.groupBy(entries, ({ threadId }) => threadId))
  yield* Effect.forEach(
    threads,
    ([threadId, waiting]) =>
      Effect.forEach(waiting, ({ eventId }) => ThreadOwner.deliver(threadId, eventId), { discard: true }),
    sideBySide
  )
}).pipe(Effect.withSpan("CatchUp.stored"))

/**
 * Has everything read that was written while the bot was away, oldest first in each thread and before anything that is
 * told of that thread from now on; other threads do not wait for it. Threads in which nothing was written, as the
 * gateway told, cost no call; of archived ones the gateway tells nothing, so they are looked at one after the other.
 */
export const missed = Effect.fn("CatchUp.missed")(function* <R>(
  lanes: Lanes<R | Effect.Effect.Context<ReturnType<typeof Missed.read>>>
) {
  const { thread: known } = yield* DiscordClient
  const aFew = yield* Effect.makeSemaphore(atATime)
  // What is late already lets the reading go first, which everybody waits for.
  const allRead = yield* Effect.makeLatch(true)
  let unread = 0
  const read = (thread: Thread) =>
    aFew
      .withPermits(1)(Missed.take(thread, true))
      .pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (--unread === 0) allRead.unsafeOpen()
          })
        ),
        Effect.zipLeft(Effect.timeoutOption(allRead.await, "20 seconds")),
        Effect.flatten
      )
  const archived: Array<Thread> = []
  for (const thread of yield* (yield* Threads).open) {
    const { threadId } = thread
    const there = known(threadId)
    if (there === undefined) archived.push(thread)
    else if (there.locked) yield* lanes(threadId, Missed.shut(threadId))
    else if (there.lastMessageId !== undefined && isNewer(there.lastMessageId, thread.lastSeenId)) {
      unread++
      allRead.unsafeClose()
      yield* lanes(threadId, read(thread))
    }
  }
  return Effect.forEach(
    archived,
    (thread) =>
      Effect.flatMap(Deferred.make<void>(), (done) =>
        Effect.zipRight(
          lanes(thread.threadId, Effect.ensuring(Missed.read(thread, true), Deferred.succeed(done, undefined))),
          Deferred.await(done)
        )
      ),
    { discard: true }
  )
})

const sideBySide = { concurrency: "unbounded", discard: true } as const

/** So few calls of catching up ask for their turn at a time that what happens now does not wait behind them. */
const atATime = 12
