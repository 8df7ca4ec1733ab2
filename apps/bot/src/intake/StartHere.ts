import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { transaction } from "../store/database/Transaction.ts"
import { guard, personOf } from "../access/Guard.ts"
import type { Action, Refusal } from "../model/Access.ts"
import { Accounts } from "../access/Accounts.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { dayOf } from "../discord/Snowflake.ts"
import { tell } from "../messages/Explain.ts"
import { Languages, messagesFor } from "../store/Languages.ts"
import { refused } from "../messages/Refused.ts"
import { formatBytes } from "../text/Format.ts"
import { maxTotalBytes } from "../turn/prompt/Attachments.ts"
import { sendReply } from "../outbox/Replies.ts"
import { type Reply, Replies } from "../store/Replies.ts"
import { Requests } from "../store/Requests.ts"
import * as TaskStart from "./TaskStart.ts"
import { Threads } from "../store/Threads.ts"

/**
 * Takes a message outside of the threads of tasks, which may ask for a task. In a channel the task gets a thread on the
 * message. A post in a forum becomes the thread. In a thread among people the task goes to the channel. In direct
 * messages every request is refused, which is said once a day. A reply to the author is stored, and returned as the
 * effect that sends it.
 */
export const fromMessage = guard({
  person: (message: IncomingMessage) => personOf(message, message.place?.guildId),
  action: ({ channelId, direct, fromPerson, place }): Effect.Effect<Action> =>
    Effect.succeed(
      (place?.asksForTask === true || direct === true) && fromPerson
        ? { _tag: "StartTask", channelId: place?.parentId ?? channelId, hidden: place?.hidden === true }
        : { _tag: "NothingHere" }
    ),
  allowed: (message) => start(message),
  refused: Effect.fnUntraced(function* (message, refusal, action) {
    if (message.direct === true) return yield* replyInDirectMessage(message, refusal, action)
    return yield* storeReply(message, refused(yield* messagesFor(message.place?.guildId ?? ""), refusal, action))
  })
})

const start = Effect.fn("StartHere.start")(function* (message: IncomingMessage) {
  const { place } = message
  if (place === undefined || !place.asksForTask || !message.fromPerson) return Effect.void
  const { forum, guildId, parentId, prompt } = place
  const messages = yield* messagesFor(guildId)
  const text = prompt === "" && message.attachments.length > 0 ? messages.lookAtFiles : prompt
  if (text === "") return yield* storeReply(message, messages.promptNeededHere)
  const tooLarge = message.attachments.find((file) => file.size > maxTotalBytes)
  if (tooLarge !== undefined)
    return yield* storeReply(
      message,
      tell(messages, messages.failures.attachmentTooLarge(tooLarge.name, formatBytes(tooLarge.size)))
    )
  const accounts = yield* Accounts
  const connected = yield* accounts.isConnected(message.authorId)
  yield* (yield* Requests).add(
    {
      requestId: message.id,
      kind: "new",
      guildId,
      channelId: parentId ?? message.channelId,
      userId: message.authorId,
      openId: yield* accounts.openIdOf(message.authorId),
      replyToken: undefined,
      locale: undefined,
      acknowledged: true,
      prompt: text,
      name: undefined,
      attachments: message.attachments,
      state: connected ? "starting" : "waiting",
      messageId: parentId === undefined || forum ? message.id : undefined,
      threadId: forum ? message.channelId : undefined
    },
    yield* Clock.currentTimeMillis
  )
  if (connected) {
    yield* TaskStart.enqueue(message.id, 1)
    return Effect.void
  }
  return yield* storeReply(message, messages.connectFirst.text, {
    label: messages.connectFirst.buttonLabel,
    customId: "c1:connect"
  })
})

/**
 * Refuses once a day, in the language that the author had at Discord when they last used a command; a message tells none.
 */
const replyInDirectMessage = Effect.fnUntraced(function* (message: IncomingMessage, refusal: Refusal, action: Action) {
  const messages = yield* (yield* Languages).forStoredLocale(message.authorId, undefined)
  const threads = yield* Threads
  const onceKey = `${message.authorId}:${dayOf(message.id)}`
  return yield* transaction(
    Effect.if(threads.isFirstTime(message.channelId, onceKey), {
      onTrue: () => storeReply(message, refused(messages, refusal, action)),
      onFalse: () => Effect.succeed(Effect.void)
    })
  )
})

/** Stores a reply to a message; returns the effect that sends it. */
const storeReply = Effect.fnUntraced(function* (
  { channelId, id: messageId }: IncomingMessage,
  content: string,
  button?: { readonly label: string; readonly customId: string }
) {
  const body = { content, ...(button === undefined ? {} : { button }) }
  const reply: Reply = { replyId: `s${messageId}`, channelId, messageId, body }
  yield* (yield* Replies).add(reply)
  return sendReply(reply)
})
