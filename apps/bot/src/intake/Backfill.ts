import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { transaction } from "../store/database/Transaction.ts"
import * as Guard from "../access/Guard.ts"
import type { Roles } from "../model/Access.ts"
import { isShut } from "../discord/DiscordError.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { isLateOutput } from "../turn/LateOutput.ts"
import * as History from "../discord/History.ts"
import { Inbox } from "../store/Inbox.ts"
import { messagesFor } from "../store/Languages.ts"
import { receive } from "./Receive.ts"
import { sendNewReply } from "../outbox/Replies.ts"
import { Replies } from "../store/Replies.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { Threads } from "../store/Threads.ts"

/** Closes a thread that was deleted or locked: nothing more is posted in it, and its task is stopped. */
export const shut = Effect.fn("Backfill.shut")(function* (threadId: string) {
  yield* (yield* Threads).close(threadId, yield* Clock.currentTimeMillis)
  yield* ThreadOwner.shut(threadId)
})

/**
 * Reopens a thread that can be written in again. Shows the interrupted answer to its end, informs the authors of messages
 * that the agent never received, and reads the messages since. With `away`, a post says that they were read late. Runs in
 * the queue of the thread.
 */
export const reopened = Effect.fn("Backfill.reopened")(function* (threadId: string, away: boolean) {
  const open = yield* transaction(
    Effect.gen(function* () {
      const thread = yield* (yield* Threads).reopen(threadId)
      if (Option.isNone(thread)) return undefined
      const { interrupted, neverDelivered: left } = yield* (yield* Inbox).resumeThread(threadId)
      const neverAsked = left.filter((entry) => !isLateOutput(entry))
      const [first] = neverAsked
      if (first === undefined) return { cut: interrupted, reply: undefined }
      const content = (yield* messagesFor(thread.value.guildId)).neverAsked(neverAsked.length)
      const replyId = `c${first.eventId}`.slice(0, 25)
      const reply = { replyId, channelId: threadId, messageId: first.eventId, body: { content } }
      yield* (yield* Replies).add(reply)
      return { cut: interrupted, reply }
    })
  )
  if (open === undefined) return
  yield* Effect.forEach(open.cut, ({ attempt, eventId }) => ThreadOwner.deliver(threadId, eventId, attempt))
  if (open.reply !== undefined) yield* sendNewReply(open.reply)
  yield* read(threadId, away)
})

/** Stores every message of a thread that is not stored yet, oldest first, and has it handled. Runs in the queue of the thread. */
export const read = Effect.fn("Backfill.read")(function* (threadId: string, away: boolean, how?: History.How) {
  yield* yield* take(threadId, away, how)
})

/**
 * Stores every message of a thread that is not stored yet, oldest first and a page at a time, however long Discord takes to
 * answer. With `away`, the thread says that it is read late. Runs in the queue of the thread, so that no later message is
 * stored before and the mark of what was read has no gaps. Returns the effect that has the messages handled, since reading
 * on may be more urgent.
 */
export const take = Effect.fn("Backfill.take")(function* (threadId: string, away: boolean, how?: History.How) {
  const found = yield* (yield* Threads).find(threadId)
  if (Option.isNone(found) || found.value.closed) return Effect.void
  const handle = { deliver: new Array<Handling>(), aside: new Array<Handling>() }
  const late = { tell: away }
  yield* History.read(
    threadId,
    found.value.lastSeenId,
    Effect.fnUntraced(function* (messages) {
      const received = retryWhileStoreFails("What was missed", takeBatch(found.value.guildId, messages, late))
      for (const { aside, deliver } of yield* received) {
        handle.deliver.push(deliver)
        handle.aside.push(aside)
      }
    }),
    how
  ).pipe(
    Effect.catchAll((error) =>
      isShut(error)
        ? shut(threadId)
        : Effect.logError(`Discord refuses to tell what was written in thread ${threadId}`, error.message)
    )
  )
  return Effect.all([...handle.deliver, ...handle.aside], { discard: true })
})

/** Stores messages of one channel in one transaction; with `late`, they were written while the bot was away. */
export const takeBatch = Effect.fn("Backfill.takeTogether")(function* (
  guildId: string | undefined,
  messages: ReadonlyArray<IncomingMessage>,
  late?: { tell: boolean }
) {
  const unknown = messages.filter(({ fromPerson, roleIds }) => fromPerson && roleIds === undefined)
  const people = guildId === undefined ? [] : Arr.dedupe(unknown.map(({ authorId }) => authorId))
  const roles = new Map(
    yield* Effect.forEach(
      people,
      (userId) =>
        Effect.map(untilRead(Guard.rolesLater(guildId ?? "", userId)), (read): [string, Roles] => [userId, read]),
      { concurrency: "unbounded" }
    )
  )
  return yield* transaction(
    Effect.forEach(messages, (message) =>
      // Their roles are known before: a transaction holds up all other writes.
      Effect.suspend(() =>
        receive({
          message: { ...message, roleIds: message.roleIds ?? roles.get(message.authorId) ?? [] },
          guildId,
          late: late?.tell === true
        })
      ).pipe(
        Effect.tap(({ taken }) => {
          if (taken && late !== undefined) late.tell = false
        })
      )
    )
  )
})

/** Waits for Discord, so that no message is refused because Discord fails for a while. */
const untilRead = <R>(roles: Effect.Effect<Roles, never, R>, more = 30): Effect.Effect<Roles, never, R> =>
  Effect.flatMap(roles, (read) =>
    read === "unreadable" && more > 0 ? Effect.delay(untilRead(roles, more - 1), "1 second") : Effect.succeed(read)
  )

type Received = Effect.Effect.Success<ReturnType<typeof receive>>
type Handling = Received["aside"] | Received["deliver"]
