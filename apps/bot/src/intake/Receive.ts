import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { guard, personOf, rolesForMissedMessage } from "../access/Guard.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import type { Action, Roles } from "../model/Access.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { commandsTyped } from "../messages/CommandPaths.ts"
import { messagesFor } from "../store/Languages.ts"
import { refused } from "../messages/Refused.ts"
import { joinTransaction, transaction } from "../store/database/Transaction.ts"
import { Inbox } from "../store/Inbox.ts"
import { sendNewReply } from "../outbox/Replies.ts"
import { type Reply, Replies } from "../store/Replies.ts"
import * as Stop from "../turn/Stop.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { type Thread, Threads } from "../store/Threads.ts"
import * as Prompt from "../turn/prompt/Prompt.ts"

/** Stores messages of one channel in one transaction; a `lateNotice` that is due goes to the first new message. */
export const receive = Effect.fn("Receive.receive")(function* (
  guildId: string | undefined,
  messages: ReadonlyArray<IncomingMessage>,
  lateNotice?: { isDue: boolean }
) {
  const withoutRoles = messages.filter(({ fromPerson, roleIds }) => fromPerson && roleIds === undefined)
  const people = guildId === undefined ? [] : Arr.dedupe(withoutRoles.map(({ authorId }) => authorId))
  const roles = new Map(
    yield* Effect.forEach(
      people,
      (userId) =>
        Effect.map(awaitRoles(rolesForMissedMessage(guildId ?? "", userId)), (read): [string, Roles] => [userId, read]),
      { concurrency: "unbounded" }
    )
  )
  yield* Effect.forEach(messages.filter(isStop), ({ channelId }) => awaitEnd(channelId), { discard: true })
  return yield* transaction(
    Effect.forEach(messages, (message) =>
      // Their roles are known before: a transaction holds up all other writes.
      Effect.suspend(() =>
        receiveOne({
          message: { ...message, roleIds: message.roleIds ?? roles.get(message.authorId) ?? [] },
          guildId,
          isFirstMissed: lateNotice?.isDue === true
        })
      ).pipe(
        Effect.tap(({ isNew }) => {
          if (isNew && lateNotice !== undefined) lateNotice.isDue = false
        })
      )
    )
  )
})

/**
 * Stores a message in a thread with a task (`isTaskThread`) as a row of the inbox. `deliver` has it handled, and
 * `isNew` says whether it is new. A reply to its author is returned as `sendReply`, so that reading on does not wait
 * for it.
 */
const receiveOne = guard({
  person: ({ guildId, message }: Received) => personOf(message, guildId),
  action: Effect.fnUntraced(function* ({ message }): Effect.fn.Return<Action, never, Threads> {
    const found = yield* (yield* Threads).find(message.channelId)
    if (Option.isNone(found) || found.value.closed || !message.fromPerson) return { _tag: "NothingHere" }
    return { _tag: isStop(message) ? "Stop" : "Reply", task: found.value }
  }),
  allowed: (received) => storeMessage(received),
  refused: Effect.fnUntraced(function* ({ guildId, message }, refusal, action) {
    const messages = yield* messagesFor(guildId ?? "")
    const reply = replyTo(message, refused(messages, refusal, action))
    // An author who has to try again gets a reply each time.
    return {
      ...noEffects,
      sendReply: yield* markSeenAndReplyOnce(reply, message, { always: refusal === "indeterminate" })
    }
  })
})

/**
 * A message from the gateway or from the history; `isFirstMissed`: the first one that was written while the bot was
 * away.
 */
interface Received {
  readonly message: IncomingMessage
  readonly guildId: string | undefined
  readonly isFirstMissed: boolean
}

/**
 * Stops the running turn as soon as the message arrives, beside the queue of the channel. The message is stored in its
 * order all the same. Where no turn runs yet, that order counts.
 */
export const stopAtOnce = guard({
  person: (message: IncomingMessage) => personOf(message, message.place?.guildId),
  action: Effect.fnUntraced(function* ({ channelId }): Effect.fn.Return<Action, never, Inbox | Threads> {
    const found = yield* (yield* Threads).find(channelId)
    if (Option.isNone(found) || found.value.closed) return { _tag: "NothingHere" }
    return (yield* (yield* Inbox).isAtWork(channelId)) ? { _tag: "Stop", task: found.value } : { _tag: "NothingHere" }
  }),
  allowed: Effect.fnUntraced(function* (message) {
    const found = yield* (yield* Threads).find(message.channelId)
    if (Option.isSome(found)) yield* yield* stop(message, found.value, { onlyRunningTurn: true })
  }),
  // The reply to its author follows when the message is stored.
  refused: () => Effect.void
})

/** Waits for Discord, so that no message is refused because Discord fails for a while. */
const awaitRoles = <R>(roles: Effect.Effect<Roles, never, R>): Effect.Effect<Roles, never, R> =>
  RetrySchedules.repeatWhile(roles, (read) => read === "unreadable", RetrySchedules.missedAuthor)

/** Waits until it is known whether people saw a turn's end before they wrote, which decides what their "stop" means. */
const awaitEnd = (threadId: string) =>
  Effect.flatMap(Inbox, (inbox) =>
    RetrySchedules.repeatWhile(inbox.isEndOnItsWay(threadId), (isOpen) => isOpen, RetrySchedules.endOnItsWay)
  )

const storeMessage = Effect.fn("Receive.storeMessage")(function* ({ isFirstMissed, message }: Received) {
  const threads = yield* Threads
  if (!message.fromPerson) {
    yield* threads.markSeen(message.channelId, message.id)
    return noEffects
  }
  const found = yield* threads.find(message.channelId)
  if (Option.isNone(found)) return { ...noEffects, isTaskThread: false }
  if (found.value.closed) return noEffects
  const { threadId } = found.value
  const { attachments, content } = Prompt.textOf(message)
  const text = content.trim()
  if (text === "" && message.attachments.length === 0) {
    if ((yield* DiscordClient).readsMessages) {
      yield* threads.markSeen(threadId, message.id)
      return noEffects
    }
    const { help } = yield* messagesFor(found.value.guildId)
    return { ...noEffects, sendReply: yield* markSeenAndReplyOnce(replyTo(message, help.cannotRead, "u"), message) }
  }
  if (isStop(message)) {
    const markSeen = threads.markSeen(threadId, message.id)
    const sendReply = yield* Effect.orDie(joinTransaction(Effect.zipRight(markSeen, stop(message, found.value))))
    return { ...noEffects, sendReply }
  }
  const typedCommands = commandsTyped(text)
  if (typedCommands.length > 0) {
    const { typedAsText } = yield* messagesFor(found.value.guildId)
    return {
      ...noEffects,
      sendReply: yield* markSeenAndReplyOnce(replyTo(message, typedAsText(typedCommands), "t"), message, {
        always: true
      })
    }
  }
  const inbox = yield* Inbox
  const receivedAt = yield* Clock.currentTimeMillis
  const isNew = yield* joinTransaction(
    Effect.zipLeft(
      inbox.add({
        eventId: message.id,
        threadId,
        kind: "message",
        authorId: message.authorId,
        authorName: message.authorName,
        content,
        attachments,
        first: false,
        late: isFirstMissed,
        receivedAt
      }),
      threads.markSeen(threadId, message.id)
    )
  ).pipe(Effect.orDie)
  // The store may have failed after it had stored the message: it is delivered once all the same.
  const isQueued = isNew || Option.exists(yield* inbox.find(message.id), ({ state }) => state === "queued")
  return isQueued ? { ...noEffects, isNew, deliver: ThreadOwner.deliver(threadId, message.id) } : noEffects
})

/** Takes an edit: a waiting message gets its new text; when the agent has the message already, its author gets a reply. */
export const onEdit = guard({
  person: (message: IncomingMessage) => personOf(message, message.place?.guildId),
  action: Effect.fnUntraced(function* (message): Effect.fn.Return<Action, never, Inbox | Threads> {
    const stored = yield* (yield* Inbox).find(message.id)
    const thread = Option.isNone(stored) ? Option.none() : yield* (yield* Threads).find(stored.value.threadId)
    return Option.match(thread, {
      onNone: () => ({ _tag: "NothingHere" }),
      onSome: (task) => ({ _tag: "Reply", task })
    })
  }),
  allowed: (message) => applyEdit(message),
  // The waiting message stays as it was: its author was allowed to say that.
  refused: () => Effect.succeed(Effect.void)
})

const applyEdit = Effect.fn("Receive.applyEdit")(function* (message: IncomingMessage) {
  const inbox = yield* Inbox
  const stored = yield* inbox.find(message.id)
  if (Option.isNone(stored)) return Effect.void
  const { attachments, content, first, state, threadId } = stored.value
  const edited = Prompt.textOf(message)
  // Without the message content intent, Discord shows most messages as empty.
  if (edited.content.trim() === "" && edited.attachments.length === 0) return Effect.void
  if (state === "queued" && !first) {
    if (yield* inbox.updateText(message.id, edited)) yield* ThreadOwner.queueChanged(threadId)
    return Effect.void
  }
  // Discord also tells of previews that it made for links, and of files with new addresses.
  const isUnchanged = content === edited.content && attachments.length === edited.attachments.length
  if (state !== "running" || first || isUnchanged) return Effect.void
  const messages = yield* messagesFor(message.place?.guildId ?? "")
  const reply = replyTo(message, messages.editedTooLate, "e")
  yield* (yield* Replies).add(reply)
  return sendNewReply(reply)
})

/** Takes deletions: waiting messages leave the queue. Discord does not say who deleted them, so no reply follows. */
export const onDelete = guard({
  person: () => ({ userId: "", guildId: undefined, roleIds: undefined, managesServer: false }),
  action: (): Effect.Effect<Action> => Effect.succeed({ _tag: "DeleteMessages" }),
  allowed: Effect.fn("Receive.onDelete")(function* ({ channelId, messageIds }: Deleted) {
    const inbox = yield* Inbox
    const removed = yield* Effect.forEach(messageIds, inbox.remove)
    if (removed.includes(true)) yield* ThreadOwner.queueChanged(channelId)
    // The effect to run afterwards: there is no reply.
    return Effect.void
  }),
  refused: () => Effect.succeed(Effect.void)
})

interface Deleted {
  readonly channelId: string
  readonly messageIds: ReadonlyArray<string>
}

/** Whether a message is the word that stops an answer, in any language. */
export const isStop = (message: IncomingMessage): boolean => {
  const { attachments, content } = Prompt.textOf(message)
  return message.fromPerson && /^(stop|停止|停)[.!。！]?$/i.test(content.trim()) && attachments.length === 0
}

const noEffects = { isTaskThread: true, isNew: false, deliver: Effect.void, sendReply: Effect.void }

/**
 * Stores that a turn is to be stopped and the reply to that; returns what is left to do. With `onlyRunningTurn` only
 * where a turn runs that is not being stopped yet.
 */
const stop = Effect.fnUntraced(function* (
  message: IncomingMessage,
  thread: Thread,
  { onlyRunningTurn } = { onlyRunningTurn: false }
) {
  const { guildId, threadId } = thread
  const messages = yield* messagesFor(guildId)
  const at = yield* Clock.currentTimeMillis
  const threads = yield* Threads
  return yield* transaction(
    Effect.gen(function* () {
      // Where nothing is left to stop, it may mean what was written before it and is not taken yet.
      if (onlyRunningTurn && !(yield* (yield* Inbox).isAtWork(threadId))) return Effect.void
      // The message comes from the gateway and from the history, and another turn may run by then.
      if (!(yield* threads.isFirstTime(threadId, message.id))) return Effect.void
      const by = { eventId: message.id, userId: message.authorId, at }
      const { signal, what } = yield* Stop.ask(thread, by)
      const count = (yield* (yield* Inbox).queued(threadId, 0)).count - (what === "Next" ? 1 : 0)
      const next = count === 0 ? "" : messages.between + messages.stillWaiting(count)
      const reply = replyTo(message, `${messages.stop[what]}${next}`)
      yield* (yield* Replies).add(reply)
      return Effect.zipRight(signal, sendNewReply(reply))
    })
  )
})

/**
 * Marks a message as seen, and stores a reply, once for its author in this thread or each time with `always`. Returns the
 * effect that sends it.
 */
const markSeenAndReplyOnce = Effect.fnUntraced(function* (
  reply: Reply,
  { authorId, channelId, id }: IncomingMessage,
  { always } = { always: false }
) {
  const threads = yield* Threads
  const replies = yield* transaction(
    Effect.gen(function* () {
      yield* threads.markSeen(channelId, id)
      const replies = always || (yield* threads.isFirstTime(channelId, authorId))
      if (replies) yield* (yield* Replies).add(reply)
      return replies
    })
  )
  return replies ? sendNewReply(reply) : Effect.void
})

const replyTo = (message: IncomingMessage, content: string, purpose = "r"): Reply => ({
  replyId: `${purpose}${message.id}`.slice(0, 25),
  channelId: message.channelId,
  messageId: message.id,
  body: { content }
})
