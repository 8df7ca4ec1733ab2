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
 * Sends a message once and gives its id. After a lost answer, looks for it in the conversation; none when it is not known
 * whether it was sent. `markSending` runs before it is sent.
 */
export const send = Effect.fn("MessageSending.send")(function* (
  assistant: Service["assistant"],
  { idempotencyKey, sentAt, text }: OutgoingMessage,
  markSending: (now: number) => Effect.Effect<void>
): Effect.fn.Return<Option.Option<MessageId>, AssistantOffline | OpenApiError, Chats> {
  const keepsKeys = yield* assistant.keepsIdempotencyKeys
  if (sentAt !== undefined && !keepsKeys) return yield* find(assistant, text, sentAt)
  const now = yield* Clock.currentTimeMillis
  yield* markSending(now)
  return yield* assistant.sendText(text, { idempotencyKey }).pipe(
    Effect.asSome,
    Effect.catchIf(mayBeSent, (error) =>
      Effect.filterOrElse(find(assistant, text, sentAt ?? now), Option.isSome, (none) =>
        error._tag === "AssistantOffline" ? Effect.fail(error) : Effect.succeed(none)
      )
    )
  )
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
  const recent = yield* assistant.history({ limit: 100 }).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.catchIf(
      ({ _tag }) => _tag !== "Reauthorize",
      (error) => Effect.as(Effect.logInfo("A message could not be looked for", error.message), [])
    )
  )
  const found = yield* Effect.findFirst(
    recent.filter((message) => isLike(message, text, sentAt)),
    ({ messageId }) => Effect.map(chats.isSent(messageId), (isOfAnother) => !isOfAnother)
  )
  return Option.map(found, ({ messageId }) => messageId)
})

const isLike = (message: AssistantMessage, text: string, sentAt: number): boolean => {
  const createdAt = Date.parse(message.createdAt ?? "")
  const isRecent = Number.isNaN(createdAt) || createdAt >= sentAt - clockSkewMs
  return message.role === "user" && isRecent && textOf(message).trim() === text.trim()
}

/** How far the clock of the service may be behind. */
const clockSkewMs = 60_000
