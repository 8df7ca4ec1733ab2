import * as SqlClient from "@effect/sql/SqlClient"
import { maxMessageBytes, type Reply } from "@heddle/core/api/AssistantProtocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as JsonSize from "../internal/JsonSize.ts"
import type { Owner } from "../tasks/TaskStore.ts"
import * as MessageRows from "./MessageRows.ts"

/** A stored message of a conversation; `metadata` is a JSON object, `createdAt` epoch milliseconds. */
export interface MessageRow {
  readonly messageId: string
  readonly role: "user" | "assistant"
  readonly msgType: string
  readonly content: string
  readonly metadata: string
  readonly createdAt: number
  /** Of a question: `open`, `answered` or `withdrawn`. */
  readonly state: string | null
}

/** The oldest message of a user that has no answer yet. */
export interface WaitingMessage {
  readonly messageId: string
  readonly clientId: string
  readonly application: string
  readonly content: string
  /** The computer that began to answer it, unless its credential is revoked. */
  readonly handedTo: string | null
}

/** The messages of local-assistant conversations: one order per user, and the messages that wait for an answer. */
export class AssistantMessages extends Context.Tag("@heddle/server/assistant/AssistantMessages")<
  AssistantMessages,
  {
    /** Adds a text of the user, which waits for its answer. */
    readonly send: (owner: Owner, text: string) => Effect.Effect<string>
    /** The number of messages of a conversation that wait for an answer. */
    readonly backlog: (owner: Owner) => Effect.Effect<number>
    /** One page of a conversation. */
    readonly page: (
      owner: Owner,
      page: { readonly limit: number; readonly offset: number; readonly newestFirst: boolean }
    ) => Effect.Effect<ReadonlyArray<MessageRow>>
    /** The messages after a message of the conversation, oldest first; none if that message is not in it. */
    readonly after: (
      owner: Owner,
      messageId: string,
      limit: number
    ) => Effect.Effect<Option.Option<ReadonlyArray<MessageRow>>>
    /** The users with a message that has no answer yet. */
    readonly waiting: Effect.Effect<ReadonlySet<string>>
    readonly next: (userId: string) => Effect.Effect<Option.Option<WaitingMessage>>
    readonly handOver: (messageId: string, assistantId: string) => Effect.Effect<void>
    /**
     * Answers a message of the user; a long answer becomes several messages. A second answer changes nothing. Both return
     * the id of the first answer, or of its last part.
     */
    readonly reply: (userId: string, messageId: string, reply: Reply) => Effect.Effect<Option.Option<string>>
  }
>() {}

export const layer: Layer.Layer<AssistantMessages, never, SqlClient.SqlClient> = Layer.effect(
  AssistantMessages,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { append, conversationOf } = yield* MessageRows.make
    const columns = sql`m.message_id AS "messageId", m.role, m.msg_type AS "msgType", m.content, m.metadata,
      m.created_at AS "createdAt", q.state`
    const messages = sql`assistant_messages m LEFT JOIN assistant_questions q ON q.message_id = m.message_id`
    const isInConversation = (owner: Owner) => sql`m.client_id = ${owner.clientId} AND m.user_id = ${owner.userId}`

    return {
      send: Effect.fn("AssistantMessages.send")(
        (owner, content) => append(owner, { role: "user", msgType: "text", content, waiting: true }),
        Effect.orDie
      ),

      backlog: Effect.fn("AssistantMessages.backlog")((owner) =>
        sql<{ count: number }>`SELECT COUNT(*) AS count FROM assistant_messages m
          WHERE ${isInConversation(owner)} AND waiting = 1`.pipe(
          Effect.map((rows) => rows[0]?.count ?? 0),
          Effect.orDie
        )
      ),

      page: Effect.fn("AssistantMessages.page")((owner, { limit, newestFirst, offset }) =>
        sql<MessageRow>`SELECT ${columns} FROM ${messages} WHERE ${isInConversation(owner)}
          ORDER BY m.seq ${newestFirst ? sql`DESC` : sql`ASC`} LIMIT ${limit} OFFSET ${offset}`.pipe(Effect.orDie)
      ),

      after: Effect.fn("AssistantMessages.after")(function* (owner, messageId, limit) {
        const anchor = yield* sql<{ seq: number }>`SELECT m.seq FROM assistant_messages m
          WHERE ${isInConversation(owner)} AND m.message_id = ${messageId}`
        if (anchor[0] === undefined) return Option.none()
        return Option.some(
          yield* sql<MessageRow>`SELECT ${columns} FROM ${messages}
            WHERE ${isInConversation(owner)} AND m.seq > ${anchor[0].seq} ORDER BY m.seq LIMIT ${limit}`
        )
      }, Effect.orDie),

      waiting: sql<{ userId: string }>`SELECT DISTINCT user_id AS "userId" FROM assistant_messages
        WHERE waiting = 1`.pipe(
        Effect.map((rows) => new Set(rows.map(({ userId }) => userId))),
        Effect.orDie,
        Effect.withSpan("AssistantMessages.waiting")
      ),

      next: Effect.fn("AssistantMessages.next")((userId) =>
        sql<WaitingMessage>`SELECT m.message_id AS "messageId", m.client_id AS "clientId", a.name AS application, m.content,
            c.assistant_id AS "handedTo"
          FROM assistant_messages m JOIN applications a ON a.client_id = m.client_id
          LEFT JOIN assistant_credentials c ON c.assistant_id = m.handed_to AND c.revoked_at IS NULL
          WHERE m.waiting = 1 AND m.user_id = ${userId} ORDER BY m.seq LIMIT 1`.pipe(
          Effect.map((rows) => Option.fromNullable(rows[0])),
          Effect.orDie
        )
      ),

      handOver: Effect.fn("AssistantMessages.handOver")((messageId, assistantId) =>
        sql`UPDATE assistant_messages SET handed_to = ${assistantId} WHERE message_id = ${messageId}`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      ),

      reply: Effect.fn("AssistantMessages.reply")(
        function* (userId, messageId, { msgType, text }) {
          const owner = yield* conversationOf(userId, messageId)
          if (owner === undefined) return Option.none()
          const earlier = yield* sql<{ messageId: string }>`SELECT message_id AS "messageId" FROM assistant_messages
          WHERE answers = ${messageId}`
          if (earlier[0] !== undefined) return Option.some(earlier[0].messageId)
          yield* sql`UPDATE assistant_messages SET waiting = 0 WHERE message_id = ${messageId}`
          yield* sql`UPDATE assistant_questions SET state = 'withdrawn' WHERE about = ${messageId} AND state = 'open'`
          const parts = JsonSize.splitBytes(text, maxMessageBytes)
          const ids = yield* Effect.forEach(parts, (content, index) =>
            append(owner, {
              role: "assistant",
              msgType,
              content,
              metadata: { answers: messageId, ...(parts.length > 1 ? { part: index + 1, parts: parts.length } : {}) },
              ...(index === parts.length - 1 ? { answers: messageId } : {})
            })
          )
          return Option.fromNullable(ids.at(-1))
        },
        sql.withTransaction,
        Effect.orDie
      )
    }
  })
)
