import * as SqlClient from "@effect/sql/SqlClient"
import type { QueryWord } from "@heddle/core/api/Paging"
import { AssistantMessage, MessageId, type NewMessage } from "@heddle/core/domain/AssistantMessage"
import type {
  Conflict,
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServiceFailure
} from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AssistantCredentials } from "./AssistantCredentials.ts"
import { AssistantDelivery } from "./AssistantDelivery.ts"
import { AssistantOptions } from "./AssistantOptions.ts"
import { AssistantStore, type MessageRow } from "./AssistantStore.ts"
import { maxMessage } from "@heddle/core/api/AssistantProtocol"
import * as QuestionAnswers from "./QuestionAnswers.ts"
import * as JsonSize from "../internal/JsonSize.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** Why a message was not taken. */
export type SendError = InvalidRequest | NotFound | Forbidden | Conflict | RateLimited | ServiceFailure

/** The rules of the local assistant towards applications (4.6–4.8): a conversation belongs to an application and a user. */
export class Assistant extends Context.Tag("@heddle/server/assistant/Assistant")<
  Assistant,
  {
    /** Whether any computer of the user is connected (decision 71). */
    readonly online: (userId: string) => Effect.Effect<boolean>
    /**
     * Takes a message, or an answer to a question (decision 60), and gives its id. It is kept before it is handed on.
     * The same idempotency key with the same body within 24 hours gives the same message, with another body a conflict.
     */
    readonly send: (owner: Owner, message: NewMessage, idempotencyKey?: string) => Effect.Effect<MessageId, SendError>
    /** A page of the conversation, or with `message_id` what came after that message; numbers as they were written. */
    readonly messages: (owner: Owner, query: Query) => Effect.Effect<ReadonlyArray<AssistantMessage>, NotFound>
  }
>() {}

/** The query of the history as it was written. */
export interface Query {
  readonly limit?: QueryWord | undefined
  readonly offset?: QueryWord | undefined
  readonly message_id?: QueryWord | undefined
}

/** The longest message, in bytes (decision 26). */
const maxContent = 32 * 1024

export const layer: Layer.Layer<
  Assistant,
  never,
  SqlClient.SqlClient | AssistantCredentials | AssistantDelivery | AssistantStore | ServerConfig
> = Layer.effect(
  Assistant,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const credentials = yield* AssistantCredentials
    const delivery = yield* AssistantDelivery
    const store = yield* AssistantStore
    const { contract } = yield* ServerConfig
    const { backlog } = yield* AssistantOptions

    /** Refuses while nobody could take the message (decision 63, 7.1). */
    const admit = Effect.fnUntraced(function* (owner: Owner) {
      const condition = yield* delivery.condition(owner.userId)
      if (condition._tag === "Broken") return yield* ApiError.badGateway(`${condition.problem} Nothing was sent.`)
      if (condition._tag === "Online") return
      const known = yield* credentials.list(owner.userId)
      if (known.length > 0 && known.every(({ revokedAt }) => revokedAt !== null)) {
        return yield* ApiError.forbidden(
          "The user has taken the local assistant's credential back, so there is none to send to."
        )
      }
      if (contract.offline === "reject") {
        return yield* ApiError.notFound(
          "assistant offline: no computer of the user is connected. Nothing was sent; try again when it is online."
        )
      }
    })

    const earlier = Effect.fnUntraced(function* (owner: Owner, key: Key) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql<{ messageId: string; bodyHash: string }>`
        SELECT message_id AS "messageId", body_hash AS "bodyHash" FROM assistant_requests
        WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash = ${key.keyHash}
          AND expires_at > ${now}`.pipe(Effect.orDie)
      if (rows[0] === undefined) return undefined
      if (rows[0].bodyHash === key.bodyHash) return rows[0].messageId
      return yield* ApiError.conflict("This Idempotency-Key was used with another message. Use a new key.")
    })

    const remember = Effect.fnUntraced(function* (owner: Owner, key: Key, messageId: string) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`DELETE FROM assistant_requests WHERE expires_at <= ${now}`
      yield* sql`INSERT INTO assistant_requests (client_id, user_id, key_hash, body_hash, message_id, expires_at)
        VALUES (${owner.clientId}, ${owner.userId}, ${key.keyHash}, ${key.bodyHash}, ${messageId},
          ${now + Duration.toMillis("24 hours")})`
    }, Effect.orDie)

    const text = Effect.fnUntraced(function* (owner: Owner, content: string) {
      yield* admit(owner)
      if ((yield* store.backlog(owner)) >= backlog) {
        return yield* ApiError.rateLimited(`${backlog} messages wait for their answers already. Nothing was sent.`, 60)
      }
      return yield* store.send(owner, content)
    })

    const answer = Effect.fnUntraced(function* (owner: Owner, content: string) {
      const given = yield* QuestionAnswers.read(content)
      const question = Option.getOrUndefined(yield* store.question(owner, given.requestId))
      if (question === undefined) return yield* ApiError.notFound("No question has this requestId.")
      if (question.answerable === 0) return yield* ApiError.invalidRequest(`msg_type not allowed: ${localOnly}`)
      if (question.state !== "open") return yield* ApiError.conflict(closed)
      const answered = yield* QuestionAnswers.check(given, question.questions)
      yield* admit(owner)
      const messageId = Option.getOrUndefined(yield* store.answer(owner, question, answered, content))
      if (messageId === undefined) return yield* ApiError.conflict(closed)
      const { assistantId, instance } = question
      return { messageId, pass: delivery.pass({ assistantId, instance, userId: owner.userId }, answered) }
    })

    return {
      online: Effect.fn("Assistant.online")((userId) =>
        Effect.map(delivery.condition(userId), ({ _tag }) => _tag !== "Offline")
      ),

      send: Effect.fn("Assistant.send")(function* (owner, { content, msgType }, idempotencyKey) {
        const answering = msgType === "permission_response" && contract.permissionResponse === "accept"
        if (msgType !== "text" && !answering) {
          return yield* ApiError.invalidRequest(
            msgType === "permission_response" ? `msg_type not allowed: ${localOnly}` : "msg_type not allowed"
          )
        }
        if (content.trim() === "") return yield* ApiError.invalidRequest("The content is empty.")
        if (Buffer.byteLength(content) > maxContent) {
          return yield* ApiError.invalidRequest(`The content is longer than ${maxContent} bytes.`)
        }
        if (JsonSize.of(content) > maxMessage) {
          return yield* ApiError.invalidRequest("The content has too many control characters.")
        }
        const key = yield* keyOf(idempotencyKey, `${msgType} ${content}`)
        const sent = yield* Effect.gen(function* () {
          const before = key === undefined ? undefined : yield* earlier(owner, key)
          if (before !== undefined) return { messageId: before, pass: Effect.void }
          const taken = answering
            ? yield* answer(owner, content)
            : { messageId: yield* text(owner, content), pass: Effect.void }
          if (key !== undefined) yield* remember(owner, key, taken.messageId)
          return taken
        }).pipe(
          sql.withTransaction,
          Effect.catchTag("SqlError", (error) => Effect.die(error))
        )
        yield* sent.pass
        yield* delivery.deliver(owner.userId)
        return MessageId.make(sent.messageId)
      }),

      messages: Effect.fn("Assistant.messages")(function* (owner, query) {
        const messageId = word(query.message_id)
        if (messageId !== undefined) {
          const found = yield* store.after(owner, messageId, 100)
          if (Option.isNone(found))
            return yield* ApiError.notFound("The conversation has no message of this message_id.")
          return found.value.map(show)
        }
        const wanted = whole(query.limit) ?? 20
        const rows = yield* store.page(owner, {
          limit: wanted < 1 ? 20 : Math.min(wanted, 100),
          offset: whole(query.offset) ?? 0,
          newestFirst: contract.order === "newest_first"
        })
        return rows.map(show)
      })
    }
  })
)

interface Key {
  readonly keyHash: string
  readonly bodyHash: string
}

const localOnly = "approval stays with the user at the computer."
const closed = "This question is not open any more: it was answered, or the assistant no longer waits."

const keyOf = (key: string | undefined, body: string): Effect.Effect<Key | undefined, InvalidRequest> => {
  if (key === undefined) return Effect.succeed(undefined)
  return /^[\x21-\x7e]{1,255}$/.test(key)
    ? Effect.succeed({ keyHash: Secret.hash(key), bodyHash: Secret.hash(body) })
    : Effect.fail(ApiError.invalidRequest("The Idempotency-Key must be 1 to 255 visible ASCII characters."))
}

const show = (row: MessageRow): AssistantMessage => {
  const metadata = Option.getOrElse(parseMetadata(row.metadata), () => ({}))
  return new AssistantMessage({
    messageId: MessageId.make(row.messageId),
    role: row.role,
    content: [row.content],
    msgType: row.msgType,
    createdAt: new Date(row.createdAt).toISOString(),
    attachments: [],
    metadata: { ...metadata, ...(row.state === null ? {} : { state: row.state }) }
  })
}

const parseMetadata = Schema.decodeOption(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

const word = (given: QueryWord | undefined): string | undefined => (typeof given === "string" ? given : given?.[0])

/** A whole number as decision 83 reads it: digits only, once. Beyond a billion it means a billion. */
const whole = (given: QueryWord | undefined): number | undefined => {
  const text = typeof given === "string" ? given : given?.length === 1 ? given[0] : undefined
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), 1_000_000_000) : undefined
}
