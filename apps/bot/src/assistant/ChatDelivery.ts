import { createHash } from "node:crypto"
import type { AssistantOffline } from "@heddle/core/Assistant"
import type { AssistantMessage } from "@heddle/core/domain/AssistantMessage"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../access/Accounts.ts"
import { failureBodyFor } from "../account/ConnectFailure.ts"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import * as AssistantQuestion from "../model/AssistantQuestion.ts"
import { type Chat, type ChatEntry, Chats } from "../store/Chats.ts"
import * as View from "../view/AssistantChat.ts"
import * as MessageSending from "./MessageSending.ts"

/** Posts in the thread of a chat. A repeated key posts once while Discord remembers nonces. */
export const post = Effect.fnUntraced(function* (threadId: string, body: MessageBody, key: string, replyTo?: string) {
  const api = yield* DiscordApi
  return yield* api.create(threadId, body, { nonce: nonceOf(key), ...(replyTo === undefined ? {} : { replyTo }) })
})

/** Replies to a message of the person. */
export const reply = ({ eventId, threadId }: ChatEntry, body: MessageBody, about: "files" | "send") =>
  post(threadId, body, `${about} ${eventId}`, eventId)

/** Why a call to the service failed, for the person of the chat. */
export const explain = (ownerId: string, error: AssistantOffline | OpenApiError, messages: Messages) =>
  error._tag === "AssistantOffline"
    ? Effect.succeed(notSent(error, messages))
    : failureBodyFor(ownerId, messages, error)

/** The text for a message to an offline assistant. */
export const notSent = ({ status }: AssistantOffline, { assistant }: Messages): MessageBody => ({
  content: status === 404 ? assistant.notDelivered : assistant.perhapsDelivered
})

/** Sends a message to the assistant, or says why it was not sent or that this is not known. */
export const send = Effect.fn("ChatDelivery.send")(function* (chat: Chat, entry: ChatEntry, messages: Messages) {
  const chats = yield* Chats
  const { content: text, eventId: idempotencyKey, sentAt } = entry
  const sent = yield* Effect.either(
    (yield* Accounts).use(
      chat.ownerId,
      ({ assistant }) =>
        MessageSending.send(assistant, { text, idempotencyKey, sentAt }, (now) => chats.markSending(entry, now)),
      chat.openId
    )
  )
  if (sent._tag === "Left") yield* reply(entry, yield* explain(chat.ownerId, sent.left, messages), "send")
  else if (Option.isNone(sent.right)) yield* reply(entry, { content: messages.assistant.deliveryUnknown }, "send")
  yield* chats.markSent(entry, sent._tag === "Right" ? Option.getOrUndefined(sent.right) : undefined)
})

/**
 * Shows a message of the conversation unless the thread already shows it. Returns true for a newly shown reply.
 * `isInSync`: this process wrote in the thread before, so rows and thread agree.
 */
export const show = Effect.fn("ChatDelivery.show")(function* (
  threadId: string,
  message: AssistantMessage,
  messages: Messages,
  isInSync: boolean
) {
  const rows = yield* Chats
  const chat = yield* rows.find(threadId)
  if (Option.isNone(chat)) return false
  if (message.role !== "assistant")
    return yield* Effect.as(rows.markShown(threadId, message.messageId, undefined), false)
  const { bodies, posted } = yield* bodiesOf(threadId, message, messages)
  // A post that was sent before a crash and not stored; Discord remembers nonces for minutes only.
  const threadMessages = isInSync ? [] : yield* (yield* DiscordApi).messagesAfter(threadId, chat.value.lastPostId)
  let lastPostId: string | undefined
  for (const [index, body] of bodies.entries()) {
    const existing = threadMessages.find(
      ({ content, fromPerson }) => !fromPerson && body.content !== "" && content === body.content
    )
    lastPostId = existing?.id ?? (yield* post(threadId, body, `${message.messageId}:${index}`))
    yield* posted(lastPostId)
  }
  yield* rows.markShown(threadId, message.messageId, lastPostId)
  return true
})

/** The posts of a message, and what is stored after them. A question is stored first, so that its controls work. */
const bodiesOf = Effect.fnUntraced(function* (threadId: string, message: AssistantMessage, messages: Messages) {
  const question = AssistantQuestion.fromMessage(message)
  if (Option.isNone(question)) return { bodies: View.replyMessages(message, messages), posted: () => Effect.void }
  const questionId = createHash("sha256").update(`${threadId} ${message.messageId}`).digest("base64url").slice(0, 16)
  const chats = yield* Chats
  const now = yield* Clock.currentTimeMillis
  const limited = AssistantQuestion.withDeadline(question.value, message, now)
  yield* chats.addQuestion({ questionId, threadId, question: yield* forStorage(limited) })
  const status = !AssistantQuestion.isOpen(message)
    ? "closed"
    : AssistantQuestion.isExpired(limited, now)
      ? "expired"
      : "open"
  return {
    bodies: [View.question(questionId, limited, {}, status, messages)],
    posted: (postId: string) =>
      Effect.zipRight(
        chats.setQuestionPost(questionId, postId),
        status === "open"
          ? Effect.void
          : chats.answer(questionId, { draft: {}, state: status === "expired" ? "expired" : "refused" })
      )
  }
})

/** A question with its deadline on the clock that no step of the time of day changes. */
const forStorage = Effect.fnUntraced(function* (question: AssistantQuestion.AssistantQuestion) {
  if (question.expiresAt === undefined) return question
  const expiresAt = yield* MonotonicClock.fromTimeOfDay(question.expiresAt)
  return { ...question, expiresAt, askedAt: yield* MonotonicClock.now }
})

/** Discord's own lifetime of a nonce, and the same key for the same words. */
const nonceOf = (key: string): string => createHash("sha256").update(key).digest("base64url").slice(0, 24)
