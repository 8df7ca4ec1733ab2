import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { transaction } from "../store/database/Transaction.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { isNotWritable } from "../discord/DiscordError.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as History from "../discord/History.ts"
import { Inbox, isLateOutput } from "../store/Inbox.ts"
import { messagesFor } from "../store/Languages.ts"
import { receive } from "./Receive.ts"
import { sendNewReply } from "../outbox/Replies.ts"
import { Replies } from "../store/Replies.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { Threads } from "../store/Threads.ts"

/** Closes a thread that was deleted or locked: nothing more is posted in it, and its task is stopped. */
export const closeThread = Effect.fn("Backfill.closeThread")(function* (threadId: string) {
  yield* (yield* Threads).close(threadId, yield* Clock.currentTimeMillis)
  yield* ThreadOwner.shut(threadId)
})

/** Reopens a closed thread that can be written in again. Runs in the queue of the thread. */
export const reopenIfWritable = Effect.fn("Backfill.reopenIfWritable")(function* (
  threadId: string,
  absence: Absence = { wasAway: false }
) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isSome(thread) && thread.value.closed && (yield* isWritable)(threadId))
    yield* reopenThread(threadId, absence)
})

/** Whether the bot may write in a thread, as the gateway reports. */
export const isWritable = Effect.map(DiscordClient, ({ thread }) => (threadId: string) => {
  const cached = thread(threadId)
  return cached !== undefined && !cached.locked && cached.mayWrite
})

/**
 * Reopens a thread that can be written in again. Shows the interrupted answer to its end, informs the authors of
 * messages that the agent never received, and reads the messages since. Runs in the queue of the thread.
 */
const reopenThread = Effect.fn("Backfill.reopenThread")(function* (threadId: string, absence: Absence) {
  const reopened = yield* transaction(
    Effect.gen(function* () {
      const thread = yield* (yield* Threads).reopen(threadId)
      if (Option.isNone(thread)) return undefined
      const { interrupted, neverDelivered } = yield* (yield* Inbox).resumeThread(threadId)
      const neverAsked = neverDelivered.filter((entry) => !isLateOutput(entry))
      const [first] = neverAsked
      if (first === undefined) return { interrupted, reply: undefined }
      const content = (yield* messagesFor(thread.value.guildId)).neverAsked(neverAsked.length)
      const replyId = `c${first.eventId}`.slice(0, 25)
      const reply = { replyId, channelId: threadId, messageId: first.eventId, body: { content } }
      yield* (yield* Replies).add(reply)
      return { interrupted, reply }
    })
  )
  if (reopened === undefined) return
  yield* Effect.forEach(reopened.interrupted, ({ attempt, eventId }) => ThreadOwner.deliver(threadId, eventId, attempt))
  if (reopened.reply !== undefined) yield* sendNewReply(reopened.reply)
  yield* read(threadId, absence)
})

/** Archived threads that are not read yet: a new message in one of them comes after what was missed. */
export interface UnreadThreads {
  /** Reads a thread that is still to be read. Runs in the queue of the thread. */
  readonly readIfUnread: (threadId: string, options?: History.ReadOptions) => ReturnType<typeof read>
  /** Notes threads that are to be read. */
  readonly add: (threadIds: ReadonlyArray<string>) => void
}

export const makeUnreadThreads = (): UnreadThreads => {
  const threads = new Set<string>()
  return {
    readIfUnread: (threadId, options) =>
      Effect.suspend(() =>
        threads.has(threadId)
          ? Effect.zipLeft(
              read(threadId, { ...options, wasAway: true }),
              Effect.sync(() => threads.delete(threadId))
            )
          : Effect.void
      ),
    add: (threadIds) => {
      for (const threadId of threadIds) threads.add(threadId)
    }
  }
}

/** Whether the bot was away when the messages were written; then a post says that they were read late. */
interface Absence {
  readonly wasAway: boolean
}

interface ReadOptions extends History.ReadOptions, Absence {
  /** Wraps the storing of each page, for callers that read many threads. */
  readonly storeGate?: History.Gate
}

/** Stores every message of a thread that is not stored yet, oldest first, and has it handled. Runs in the queue of the thread. */
export const read = Effect.fn("Backfill.read")(function* (threadId: string, options: ReadOptions) {
  yield* yield* storeMissed(threadId, options)
})

/**
 * Stores every message of a thread that is not stored yet, oldest first and a page at a time, however long Discord
 * takes to answer. Runs in the queue of the thread, so that no later message is stored before and the mark of what was
 * read has no gaps. Returns the effect that has the messages handled, since reading on may be more urgent.
 */
export const storeMissed = Effect.fn("Backfill.storeMissed")(function* (
  threadId: string,
  { storeGate = (store) => store, wasAway, ...options }: ReadOptions
) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isNone(thread) || thread.value.closed) return Effect.void
  const { guildId, lastSeenId } = thread.value
  const effects = { deliver: new Array<Handling>(), sendReply: new Array<Handling>() }
  // "Read late" is said once, at the first new message: `receive` sets `isDue` to false.
  const lateNotice = { isDue: wasAway }
  yield* History.read(
    threadId,
    lastSeenId,
    Effect.fnUntraced(function* (messages) {
      const received = retryWhileStoreFails("What was missed", receive(guildId, messages, lateNotice))
      for (const { sendReply, deliver } of yield* storeGate(received)) {
        effects.deliver.push(deliver)
        effects.sendReply.push(sendReply)
      }
    }),
    options
  ).pipe(
    Effect.catchAll((error) =>
      isNotWritable(error)
        ? closeThread(threadId)
        : Effect.logError(`Discord refuses to tell what was written in thread ${threadId}`, error.message)
    )
  )
  return Effect.all([...effects.deliver, ...effects.sendReply], { discard: true })
})

type Received = Effect.Effect.Success<ReturnType<typeof receive>>[number]
type Handling = Received["sendReply"] | Received["deliver"]
