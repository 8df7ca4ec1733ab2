import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { IncomingMessage, Written } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import * as LateOutput from "../turn/LateOutput.ts"
import { Channels } from "../store/Channels.ts"
import { Inbox } from "../store/Inbox.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as History from "../discord/History.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "./Backfill.ts"
import * as QueuedMessage from "../turn/prompt/QueuedMessage.ts"
import { sendReply } from "../outbox/Replies.ts"
import { Replies } from "../store/Replies.ts"
import { Requests } from "../store/Requests.ts"
import * as StartHere from "./StartHere.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { Threads } from "../store/Threads.ts"
import { Turns } from "../store/Turns.ts"

/** Starts everything that was stored and is not finished; what runs already stays as it is. */
export const stored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  yield* Effect.forEach(requests, ({ attempt, requestId }) => TaskStart.enqueue(requestId, attempt), sideBySide)
  const entries = yield* (yield* Inbox).pending
  const threads = Object.entries(Arr.groupBy(entries, ({ threadId }) => threadId))
  yield* Effect.forEach(
    threads,
    ([threadId, waiting]) =>
      Effect.forEach(waiting, ({ attempt, eventId }) => ThreadOwner.deliver(threadId, eventId, attempt), {
        discard: true
      }),
    sideBySide
  )
  yield* Effect.forkScoped(Effect.delay(lateOutputs(yield* Clock.currentTimeMillis), "5 seconds"))
  const replies = yield* (yield* Replies).pending
  // Discord may be slow, and nothing else waits for them.
  yield* Effect.forkScoped(Effect.forEach(replies, sendReply, { discard: true }))
}).pipe(Effect.withSpan("CatchUp.stored"))

/** Shows the late output of agents whose answers had ended shortly before the bot stopped; messages of people come first. */
const lateOutputs = Effect.fnUntraced(function* (startedAt: number) {
  const since = startedAt - Duration.toMillis(LateOutput.listenDuration)
  yield* Effect.forEach(
    yield* (yield* Turns).endedSince(since, startedAt),
    (threadId) =>
      Effect.flatMap(
        LateOutput.enqueue(threadId),
        Option.match({ onNone: () => Effect.void, onSome: (eventId) => ThreadOwner.deliver(threadId, eventId) })
      ),
    { concurrency: 4, discard: true }
  )
})

/** Archived threads that are not read yet: a new message in one of them comes after what was missed. */
export interface Unread {
  /** Reads a thread that is still to be read. Runs in the queue of the thread. */
  readonly first: (threadId: string, how?: History.How) => ReturnType<typeof Backfill.read>
  /** Notes threads that are to be read. */
  readonly note: (threadIds: ReadonlyArray<string>) => void
}

export const unread = (): Unread => {
  const threads = new Set<string>()
  return {
    first: (threadId, how) =>
      Effect.suspend(() =>
        threads.has(threadId)
          ? Effect.zipLeft(
              Backfill.read(threadId, true, how),
              Effect.sync(() => threads.delete(threadId))
            )
          : Effect.void
      ),
    note: (threadIds) => {
      for (const threadId of threadIds) threads.add(threadId)
    }
  }
}

/**
 * Reads what was written in threads while the bot was away, oldest first and before later events of the same thread. Other
 * threads do not wait for it. A thread in which nothing was written, as the gateway reports, costs no call. The gateway does
 * not report archived threads: they are read one after the other.
 */
export const missed = Effect.fn("CatchUp.missed")(function* (unread: Unread) {
  const { thread: known } = yield* DiscordClient
  const queues = yield* ChannelQueue
  const aFew = yield* Effect.makeSemaphore(atATime)
  // Late messages are handled after all threads were read once, but do not wait for a thread that cannot be read.
  const allTried = yield* Effect.makeLatch(true)
  let untried = 0
  const read = (threadId: string) => {
    untried++
    allTried.unsafeClose()
    const tried = once(() => {
      if (--untried === 0) allTried.unsafeOpen()
    })
    return Backfill.take(threadId, true, { gate: (call) => Effect.ensuring(aFew.withPermits(1)(call), tried) }).pipe(
      Effect.ensuring(tried),
      Effect.zipLeft(Effect.timeoutOption(allTried.await, "20 seconds")),
      Effect.flatten
    )
  }
  const archived: Array<string> = []
  for (const thread of yield* (yield* Threads).open) {
    const { threadId } = thread
    const there = known(threadId)
    if (there === undefined) archived.push(threadId)
    else if (there.locked) yield* queues.add(threadId, Backfill.shut(threadId))
    else if (there.lastMessageId !== undefined && isNewer(there.lastMessageId, thread.lastSeenId)) {
      yield* queues.add(threadId, read(threadId))
    }
  }
  unread.note(archived)
  const one = yield* Effect.makeSemaphore(1)
  return Effect.forEach(
    archived,
    Effect.fnUntraced(function* (threadId) {
      const tried = yield* Deferred.make<void>()
      const next = Deferred.succeed(tried, undefined)
      const gate: History.Gate = (call) => Effect.ensuring(one.withPermits(1)(call), next)
      yield* queues.add(threadId, Effect.ensuring(unread.first(threadId, { gate, priority: "routine" }), next))
      yield* Deferred.await(tried)
    }),
    { discard: true }
  )
})

/** Reads every waiting message again: it may have been edited or deleted while the bot was away. */
export const waiting = Effect.gen(function* () {
  const entries = yield* (yield* Inbox).pending
  yield* Effect.forEach(
    entries,
    (entry) =>
      Effect.flatMap(QueuedMessage.refresh(entry, "routine"), (changed) =>
        changed ? ThreadOwner.requeued(entry.threadId) : Effect.void
      ),
    { concurrency: 4, discard: true }
  )
}).pipe(Effect.withSpan("CatchUp.waiting"))

/**
 * Reads what was written in other channels while the bot was away, before later events of the same channel: a message there
 * may ask for a task. `written` holds the newest messages when the gateway began to report new ones.
 */
export const asked = Effect.fn("CatchUp.asked")(function* (written: ReadonlyArray<Written>) {
  const channels = yield* Channels
  const queues = yield* ChannelQueue
  const threads = yield* Threads
  const { done, since } = yield* channels.beginBackfill(newest(written))
  // The first start: what was said before is not for the bot.
  if (Option.isNone(since)) return yield* done
  const aFew = yield* Effect.makeSemaphore(4)
  const read = Effect.fnUntraced(function* (channelId: string) {
    if (Option.isSome(yield* threads.find(channelId))) return Effect.void
    const aside = new Array<Effect.Effect.Success<ReturnType<typeof StartHere.fromMessage>>>()
    const take = (message: IncomingMessage) => Effect.map(StartHere.fromMessage(message), (said) => aside.push(said))
    yield* History.read(
      channelId,
      since.value,
      (messages) =>
        Effect.forEach(messages, (message) => retryWhileStoreFails("A message", take(message)), { discard: true }),
      { gate: aFew.withPermits(1), priority: "routine" }
    ).pipe(
      // The bot may not read every channel.
      Effect.catchAll((error) => Effect.logDebug(`Channel ${channelId} could not be read`, error.message))
    )
    return Effect.all(aside, { discard: true })
  })
  const behind = written.filter(({ lastMessageId }) => isNewer(lastMessageId, since.value))
  let left = behind.length
  if (left === 0) return yield* done
  for (const { channelId } of behind) {
    const last = Effect.suspend(() => (--left === 0 ? done : Effect.void))
    // Replies come after all that: they are stored, and Discord may be slow.
    yield* queues.add(channelId, Effect.flatten(Effect.zipLeft(read(channelId), last)))
  }
})

/** The newest of all messages. */
const newest = (written: ReadonlyArray<Written>): string =>
  written.reduce((most, { lastMessageId }) => (isNewer(lastMessageId, most) ? lastMessageId : most), "0")

/** Runs only once. */
const once = (act: () => void) => {
  let done = false
  return Effect.sync(() => {
    if (!done) act()
    done = true
  })
}

const sideBySide = { concurrency: "unbounded", discard: true } as const

/** How many threads are read at a time: few enough that new events do not wait behind them. */
const atATime = 12
