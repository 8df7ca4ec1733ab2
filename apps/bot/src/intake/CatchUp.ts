import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { IncomingMessage, Written } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import * as LateOutput from "../turn/LateOutput.ts"
import { HandledMessages } from "../store/HandledMessages.ts"
import { Inbox } from "../store/Inbox.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as History from "../discord/History.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "./Backfill.ts"
import * as Prompt from "../turn/prompt/Prompt.ts"
import { sendReply } from "../outbox/Replies.ts"
import { Replies } from "../store/Replies.ts"
import { Requests } from "../store/Requests.ts"
import * as StartHere from "./StartHere.ts"
import * as TaskStart from "./TaskStart.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { Threads } from "../store/Threads.ts"
import { Turns } from "../store/Turns.ts"

/** Starts everything that was stored and is not finished; what runs already stays as it is. */
export const resumeStored = Effect.gen(function* () {
  const requests = yield* (yield* Requests).starting
  yield* Effect.forEach(
    requests,
    ({ attempt, requestId }) => TaskStart.enqueue(requestId, attempt),
    unboundedConcurrency
  )
  const entries = yield* (yield* Inbox).pending
  const threads = Object.entries(Arr.groupBy(entries, ({ threadId }) => threadId))
  yield* Effect.forEach(
    threads,
    ([threadId, queued]) =>
      Effect.forEach(queued, ({ attempt, eventId }) => ThreadOwner.deliver(threadId, eventId, attempt), {
        discard: true
      }),
    unboundedConcurrency
  )
  yield* Effect.forkScoped(Effect.delay(resumeLateOutput(yield* Clock.currentTimeMillis), "5 seconds"))
  const replies = yield* (yield* Replies).pending
  // Discord may be slow, and nothing else waits for them.
  yield* Effect.forkScoped(Effect.forEach(replies, sendReply, { discard: true }))
}).pipe(Effect.withSpan("CatchUp.resumeStored"))

/** Shows the late output of agents whose answers had ended shortly before the bot stopped; messages of people come first. */
const resumeLateOutput = Effect.fnUntraced(function* (startedAt: number) {
  const since = startedAt - (yield* BotSettings).lateOutputMs
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

/**
 * Reopens closed threads that can be written in again: they were unlocked, or the bot has its permissions back. Discord
 * does not report that to a bot that was away, so every closed thread is checked.
 */
export const reopenAll = Effect.fn("CatchUp.reopenAll")(function* (guildId?: string) {
  const queues = yield* ChannelQueue
  const writable = yield* Backfill.isWritable
  for (const thread of yield* (yield* Threads).closed) {
    if ((guildId ?? thread.guildId) === thread.guildId && writable(thread.threadId))
      yield* queues.add(thread.threadId, Backfill.reopenIfWritable(thread.threadId, { wasAway: guildId === undefined }))
  }
})

/**
 * Reads what was written in threads while the bot was away, oldest first and before later events of the same thread. Other
 * threads do not wait for it. A thread in which nothing was written, as the gateway reports, costs no call. The gateway does
 * not report archived threads: they are read one after the other.
 */
export const readMissedInThreads = Effect.fn("CatchUp.readMissedInThreads")(function* (
  unreadThreads: Backfill.UnreadThreads
) {
  const { thread: cachedThread } = yield* DiscordClient
  const queues = yield* ChannelQueue
  const readSlots = yield* Effect.makeSemaphore(maxParallelReads)
  // Late messages are handled after all threads were read once, but do not wait for a thread that cannot be read.
  const allTriedOnce = yield* Effect.makeLatch(true)
  // Pages that arrive together wait for the disk once, and are stored when the responses of the other calls are there.
  const pagesGathered = yield* Effect.cachedWithTTL(Effect.timeoutOption(allTriedOnce.await, gatherTime), gatherTime)
  let untried = 0
  const read = (threadId: string) => {
    untried++
    allTriedOnce.unsafeClose()
    const markTried = runOnce(() => {
      if (--untried === 0) allTriedOnce.unsafeOpen()
    })
    return Backfill.storeMissed(threadId, {
      wasAway: true,
      priority: "missed",
      gate: (call) => Effect.ensuring(readSlots.withPermits(1)(call), markTried),
      storeGate: (store) => Effect.zipRight(pagesGathered, store)
    }).pipe(
      Effect.ensuring(markTried),
      Effect.zipLeft(Effect.timeoutOption(allTriedOnce.await, "20 seconds")),
      Effect.flatten
    )
  }
  const archived: Array<string> = []
  for (const thread of yield* (yield* Threads).open) {
    const { threadId } = thread
    const cached = cachedThread(threadId)
    if (cached === undefined) archived.push(threadId)
    else if (cached.locked) yield* queues.add(threadId, Backfill.closeThread(threadId))
    else if (cached.lastMessageId !== undefined && isNewer(cached.lastMessageId, thread.lastSeenId)) {
      yield* queues.add(threadId, read(threadId))
    }
  }
  unreadThreads.add(archived)
  const one = yield* Effect.makeSemaphore(1)
  return Effect.forEach(
    archived,
    Effect.fnUntraced(function* (threadId) {
      const tried = yield* Deferred.make<void>()
      const next = Deferred.succeed(tried, undefined)
      const gate: History.Gate = (call) => Effect.ensuring(one.withPermits(1)(call), next)
      yield* queues.add(
        threadId,
        Effect.ensuring(unreadThreads.readIfUnread(threadId, { gate, priority: "routine" }), next)
      )
      yield* Deferred.await(tried)
    }),
    { discard: true }
  )
})

/** Reads every waiting message again: it may have been edited or deleted while the bot was away. */
export const refreshQueued = Effect.gen(function* () {
  const entries = yield* (yield* Inbox).pending
  yield* Effect.forEach(
    entries,
    (entry) =>
      Effect.flatMap(Prompt.refresh(entry, "routine"), (changed) =>
        changed ? ThreadOwner.queueChanged(entry.threadId) : Effect.void
      ),
    { concurrency: 4, discard: true }
  )
}).pipe(Effect.withSpan("CatchUp.refreshQueued"))

/**
 * Reads what was written in other channels while the bot was away, before later events of the same channel. A message
 * there may ask for a task. `newestMessages` holds the newest messages when the gateway began to report new ones.
 */
export const readMissedInChannels = Effect.fn("CatchUp.readMissedInChannels")(function* (
  newestMessages: ReadonlyArray<Written>
) {
  const handledMessages = yield* HandledMessages
  const queues = yield* ChannelQueue
  const threads = yield* Threads
  const { done, since } = yield* handledMessages.beginBackfill(newestId(newestMessages))
  // The first start: what was said before is not for the bot.
  if (Option.isNone(since)) return yield* done
  const readSlots = yield* Effect.makeSemaphore(4)
  const read = Effect.fnUntraced(function* (channelId: string) {
    if (Option.isSome(yield* threads.find(channelId))) return Effect.void
    const sendReplies = new Array<Effect.Effect.Success<ReturnType<typeof StartHere.fromMessage>>>()
    const storeMessage = (message: IncomingMessage) =>
      Effect.map(StartHere.fromMessage(message), (sendReply) => sendReplies.push(sendReply))
    yield* History.read(
      channelId,
      since.value,
      (messages) =>
        Effect.forEach(messages, (message) => retryWhileStoreFails("A message", storeMessage(message)), {
          discard: true
        }),
      { gate: readSlots.withPermits(1), priority: "routine" }
    ).pipe(
      // The bot may not read every channel.
      Effect.catchAll((error) => Effect.logDebug(`Channel ${channelId} could not be read`, error.message))
    )
    return Effect.all(sendReplies, { discard: true })
  })
  const channelsBehind = newestMessages.filter(({ lastMessageId }) => isNewer(lastMessageId, since.value))
  let remaining = channelsBehind.length
  if (remaining === 0) return yield* done
  for (const { channelId } of channelsBehind) {
    const finish = Effect.suspend(() => (--remaining === 0 ? done : Effect.void))
    // Replies come after all that: they are stored, and Discord may be slow.
    yield* queues.add(channelId, Effect.flatten(Effect.zipLeft(read(channelId), finish)))
  }
})

/** The newest of all messages. */
const newestId = (newestMessages: ReadonlyArray<Written>): string =>
  newestMessages.reduce(
    (newestSoFar, { lastMessageId }) => (isNewer(lastMessageId, newestSoFar) ? lastMessageId : newestSoFar),
    "0"
  )

/** Runs only once. */
const runOnce = (act: () => void) => {
  let done = false
  return Effect.sync(() => {
    if (!done) act()
    done = true
  })
}

const unboundedConcurrency = { concurrency: "unbounded", discard: true } as const

/** How many threads are read at a time: a second's calls, so that they all leave at once when Discord counts anew. */
const maxParallelReads = 48

/** How long a page waits for others: longer than the responses of one second's calls take to arrive after each other. */
const gatherTime = "100 millis"
