import * as CallOptions from "@heddle/core/CallOptions"
import type { AssistantOffline } from "@heddle/core/Assistant"
import { type AssistantMessage, type MessageId, textOf } from "@heddle/core/domain/AssistantMessage"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Service } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { Chats } from "../store/Chats.ts"

/** A message to the local assistant. */
export interface OutgoingMessage {
  readonly idempotencyKey: string
  readonly text: string
  /** When it was first sent, in epoch milliseconds; undefined before. */
  readonly sentAt: number | undefined
}

/**
 * Sends a message once and gives its id. After a lost answer, looks for it among what is new in the conversation; none
 * when it is not known whether it was sent. `markSending` runs before it is sent.
 */
export const send = Effect.fn("MessageSending.send")(function* (
  assistant: Service["assistant"],
  { idempotencyKey, sentAt, text }: OutgoingMessage,
  markSending: (now: number) => Effect.Effect<void>
): Effect.fn.Return<Option.Option<MessageId>, AssistantOffline | OpenApiError, Chats> {
  const keepsKeys = yield* assistant.keepsIdempotencyKeys
  if (sentAt !== undefined && !keepsKeys) return yield* find(assistant, text, sentAt)
  const now = yield* Clock.currentTimeMillis
  const isFindable = sentAt !== undefined || (yield* rememberEqual(assistant, text))
  yield* markSending(now)
  return yield* assistant.sendText(text, { idempotencyKey }).pipe(
    Effect.asSome,
    Effect.catchIf(mayBeSent, (error) =>
      Effect.filterOrElse(
        isFindable ? find(assistant, text, sentAt ?? now) : Effect.succeedNone,
        Option.isSome,
        (none) => (error._tag === "AssistantOffline" ? Effect.fail(error) : Effect.succeed(none))
      )
    )
  )
})

/** Remembers the messages with the same words that are there before the sending; false where they cannot be read. */
const rememberEqual = Effect.fnUntraced(function* (assistant: Service["assistant"], text: string) {
  const chats = yield* Chats
  const before = yield* Effect.option(recent(assistant))
  if (Option.isNone(before)) return false
  for (const message of before.value)
    if (hasWords(message, text)) yield* chats.rememberMessage(`before ${message.messageId}`, message.messageId)
  return true
})

/** Whether an error leaves open that the message was sent. */
const mayBeSent = (error: AssistantOffline | OpenApiError): boolean =>
  error._tag === "OutcomeUnknown" ||
  error._tag === "ContractViolation" ||
  (error._tag === "AssistantOffline" && error.status !== 404)

/** Looks for a message several times, because the service may still be at work on it. */
const find = (assistant: Service["assistant"], text: string, sentAt: number) =>
  RetrySchedules.repeatWhile(look(assistant, text, sentAt), Option.isNone, RetrySchedules.lostAnswer)

const look = Effect.fnUntraced(function* (assistant: Service["assistant"], text: string, sentAt: number) {
  const chats = yield* Chats
  const messages = yield* recent(assistant).pipe(
    Effect.catchIf(
      ({ _tag }) => _tag !== "Reauthorize",
      (error) => Effect.as(Effect.logInfo("A message could not be looked for", error.message), [])
    )
  )
  const found = yield* Effect.findFirst(
    messages.filter((message) => hasWords(message, text) && isSince(message, sentAt)),
    ({ messageId }) => Effect.map(chats.isRemembered(messageId), (isAnother) => !isAnother)
  )
  return Option.map(found, ({ messageId }) => messageId)
})

const recent = (assistant: Service["assistant"]) =>
  assistant.history({ limit: 100 }).pipe(CallOptions.with({ retry: "none", timeout: "5 seconds" }))

const hasWords = (message: AssistantMessage, text: string): boolean =>
  message.role === "user" && textOf(message).trim() === text.trim()

const isSince = ({ createdAt }: AssistantMessage, sentAt: number): boolean => {
  const time = Date.parse(createdAt ?? "")
  return Number.isNaN(time) || time >= sentAt - clockSkewMs
}

/** How far the clock of the service may be behind. */
const clockSkewMs = 60_000
