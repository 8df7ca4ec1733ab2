import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import type { Identity } from "./AssistantCredentials.ts"
import { maxMessage, type Answered, type Asked, type Question, type Reply } from "@heddle/core/api/AssistantProtocol"
import * as JsonSize from "../internal/JsonSize.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** A message of a conversation as it is stored; `metadata` is a JSON object, `createdAt` epoch milliseconds. */
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
export interface Waiting {
  readonly messageId: string
  readonly clientId: string
  readonly application: string
  readonly content: string
  /** The computer that began to answer it, unless its credential is revoked. */
  readonly handedTo: string | null
}

/** A question of an agent as it is stored. */
export interface QuestionRow {
  /** The message that it is. */
  readonly messageId: string
  readonly assistantId: string
  readonly instance: string
  readonly answerable: number
  readonly state: "open" | "answered" | "withdrawn"
  readonly questions: ReadonlyArray<Question>
}

/** The rows of local-assistant conversations: messages in one order per user, and what agents ask. */
export class AssistantStore extends Context.Tag("@heddle/server/assistant/AssistantStore")<
  AssistantStore,
  {
    /** Adds a text of the user, to be answered. */
    readonly send: (owner: Owner, text: string) => Effect.Effect<string>
    /** How many messages of a conversation wait for their answer. */
    readonly backlog: (owner: Owner) => Effect.Effect<number>
    /** One page of a conversation. */
    readonly page: (
      owner: Owner,
      page: { readonly limit: number; readonly offset: number; readonly newestFirst: boolean }
    ) => Effect.Effect<ReadonlyArray<MessageRow>>
    /** What follows a message of the conversation, oldest first; none when the message is not in it. */
    readonly after: (
      owner: Owner,
      messageId: string,
      limit: number
    ) => Effect.Effect<Option.Option<ReadonlyArray<MessageRow>>>
    /** The users with a message that has no answer yet. */
    readonly waiting: Effect.Effect<ReadonlySet<string>>
    readonly next: (userId: string) => Effect.Effect<Option.Option<Waiting>>
    readonly handOver: (messageId: string, assistantId: string) => Effect.Effect<void>
    /**
     * Answers a message of the user; a long answer becomes several messages. A second answer changes nothing; both give
     * the id of the first, or of its last part.
     */
    readonly reply: (userId: string, messageId: string, reply: Reply) => Effect.Effect<Option.Option<string>>
    /** Adds a question that came up while a message is answered; asked again it is the same row. */
    readonly ask: (
      by: Identity & { readonly instance: string },
      messageId: string,
      asked: Asked
    ) => Effect.Effect<Option.Option<string>>
    /** The question of the conversation that has this request id; the last one that was asked, if there are several. */
    readonly question: (owner: Owner, requestId: string) => Effect.Effect<Option.Option<QuestionRow>>
    /** Takes an application's answer; gives the id of its message, or none when the question is not open any more. */
    readonly answer: (
      owner: Owner,
      question: QuestionRow,
      answer: Answered,
      content: string
    ) => Effect.Effect<Option.Option<string>>
    /** The answers to what one run of a program asked about a message. */
    readonly answersTo: (messageId: string, instance: string) => Effect.Effect<ReadonlyArray<Answered>>
    /** Closes a question of a computer's program that needs no answer any more. */
    readonly withdraw: (by: Identity, requestId: string) => Effect.Effect<void>
    /** Closes what earlier runs of a computer's program had asked. */
    readonly withdrawEarlier: (assistantId: string, instance: string) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<AssistantStore, never, SqlClient.SqlClient> = Layer.effect(
  AssistantStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`m.message_id AS "messageId", m.role, m.msg_type AS "msgType", m.content, m.metadata,
      m.created_at AS "createdAt", q.state`
    const messages = sql`assistant_messages m LEFT JOIN assistant_questions q ON q.message_id = m.message_id`
    const within = (owner: Owner) => sql`m.client_id = ${owner.clientId} AND m.user_id = ${owner.userId}`

    const append = Effect.fnUntraced(function* (owner: Owner, message: NewMessage) {
      const messageId = `msg_${Crypto.randomBytes(12).toString("hex")}`
      const now = yield* Clock.currentTimeMillis
      const metadata = JSON.stringify({ msgType: message.msgType, ...message.metadata })
      yield* sql`INSERT INTO assistant_messages
          (user_id, seq, message_id, client_id, role, msg_type, content, metadata, created_at, waiting, answers)
        SELECT ${owner.userId}, COALESCE(MAX(seq), 0) + 1, ${messageId}, ${owner.clientId}, ${message.role},
          ${message.msgType}, ${message.content}, ${metadata}, ${now}, ${message.waiting === true ? 1 : 0},
          ${message.answers ?? null}
        FROM assistant_messages WHERE user_id = ${owner.userId}`
      return messageId
    })

    /** Whose message of the user this is. */
    const conversationOf = (userId: string, messageId: string) =>
      sql<
        Owner & { readonly waiting: number }
      >`SELECT client_id AS "clientId", user_id AS "userId", waiting FROM assistant_messages
        WHERE message_id = ${messageId} AND user_id = ${userId} AND role = 'user'`.pipe(Effect.map((rows) => rows[0]))

    return {
      send: Effect.fn("AssistantStore.send")(
        (owner, content) => append(owner, { role: "user", msgType: "text", content, waiting: true }),
        Effect.orDie
      ),

      backlog: Effect.fn("AssistantStore.backlog")((owner) =>
        sql<{ count: number }>`SELECT COUNT(*) AS count FROM assistant_messages m
          WHERE ${within(owner)} AND waiting = 1`.pipe(
          Effect.map((rows) => rows[0]?.count ?? 0),
          Effect.orDie
        )
      ),

      page: Effect.fn("AssistantStore.page")((owner, { limit, newestFirst, offset }) =>
        sql<MessageRow>`SELECT ${columns} FROM ${messages} WHERE ${within(owner)}
          ORDER BY m.seq ${newestFirst ? sql`DESC` : sql`ASC`} LIMIT ${limit} OFFSET ${offset}`.pipe(Effect.orDie)
      ),

      after: Effect.fn("AssistantStore.after")(function* (owner, messageId, limit) {
        const found = yield* sql<{ seq: number }>`SELECT m.seq FROM assistant_messages m
          WHERE ${within(owner)} AND m.message_id = ${messageId}`
        if (found[0] === undefined) return Option.none()
        return Option.some(
          yield* sql<MessageRow>`SELECT ${columns} FROM ${messages}
            WHERE ${within(owner)} AND m.seq > ${found[0].seq} ORDER BY m.seq LIMIT ${limit}`
        )
      }, Effect.orDie),

      waiting: sql<{ userId: string }>`SELECT DISTINCT user_id AS "userId" FROM assistant_messages
        WHERE waiting = 1`.pipe(
        Effect.map((rows) => new Set(rows.map(({ userId }) => userId))),
        Effect.orDie,
        Effect.withSpan("AssistantStore.waiting")
      ),

      next: Effect.fn("AssistantStore.next")((userId) =>
        sql<Waiting>`SELECT m.message_id AS "messageId", m.client_id AS "clientId", a.name AS application, m.content,
            c.assistant_id AS "handedTo"
          FROM assistant_messages m JOIN applications a ON a.client_id = m.client_id
          LEFT JOIN assistant_credentials c ON c.assistant_id = m.handed_to AND c.revoked_at IS NULL
          WHERE m.waiting = 1 AND m.user_id = ${userId} ORDER BY m.seq LIMIT 1`.pipe(
          Effect.map((rows) => Option.fromNullable(rows[0])),
          Effect.orDie
        )
      ),

      handOver: Effect.fn("AssistantStore.handOver")((messageId, assistantId) =>
        sql`UPDATE assistant_messages SET handed_to = ${assistantId} WHERE message_id = ${messageId}`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      ),

      reply: Effect.fn("AssistantStore.reply")(
        function* (userId, messageId, { msgType, text }) {
          const owner = yield* conversationOf(userId, messageId)
          if (owner === undefined) return Option.none()
          const earlier = yield* sql<{ messageId: string }>`SELECT message_id AS "messageId" FROM assistant_messages
          WHERE answers = ${messageId}`
          if (earlier[0] !== undefined) return Option.some(earlier[0].messageId)
          yield* sql`UPDATE assistant_messages SET waiting = 0 WHERE message_id = ${messageId}`
          yield* sql`UPDATE assistant_questions SET state = 'withdrawn' WHERE about = ${messageId} AND state = 'open'`
          const parts = JsonSize.pieces(text, maxMessage)
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
      ),

      ask: Effect.fn("AssistantStore.ask")(
        function* (by, about, asked) {
          const owner = yield* conversationOf(by.userId, about)
          if (owner === undefined) return Option.none()
          const earlier = yield* sql<{ messageId: string }>`SELECT message_id AS "messageId" FROM assistant_questions
          WHERE user_id = ${by.userId} AND about = ${about} AND request_id = ${asked.requestId}`
          if (earlier[0] !== undefined) return Option.some(earlier[0].messageId)
          const { answerable, kind, questions, requestId, text } = asked
          const messageId = yield* append(owner, {
            role: "assistant",
            msgType: kind,
            content: text,
            metadata: { requestId, about, answerable, questions }
          })
          yield* sql`INSERT INTO assistant_questions (request_id, message_id, about, client_id, user_id, assistant_id,
            instance, answerable, questions, state)
          VALUES (${requestId}, ${messageId}, ${about}, ${owner.clientId}, ${owner.userId}, ${by.assistantId},
            ${by.instance}, ${answerable ? 1 : 0}, ${JSON.stringify(questions)}, ${owner.waiting === 1 ? "open" : "withdrawn"})`
          return Option.some(messageId)
        },
        sql.withTransaction,
        Effect.orDie
      ),

      question: Effect.fn("AssistantStore.question")((owner, requestId) =>
        sql<Omit<QuestionRow, "questions"> & { questions: string }>`SELECT q.message_id AS "messageId",
            q.assistant_id AS "assistantId", q.instance, q.answerable, q.state, q.questions
          FROM assistant_questions q JOIN assistant_messages m ON m.message_id = q.message_id
          WHERE q.user_id = ${owner.userId} AND q.request_id = ${requestId} AND q.client_id = ${owner.clientId}
          ORDER BY m.seq DESC LIMIT 1`.pipe(
          Effect.map((rows) => Option.fromNullable(rows[0])),
          Effect.map(Option.map((row) => ({ ...row, questions: JSON.parse(row.questions) as Array<Question> }))),
          Effect.orDie
        )
      ),

      answer: Effect.fn("AssistantStore.answer")(
        function* (owner, { messageId }, answer, content) {
          const { requestId } = answer
          const closed =
            yield* sql`UPDATE assistant_questions SET state = 'answered', answer = ${JSON.stringify(answer)}
          WHERE message_id = ${messageId} AND user_id = ${owner.userId} AND client_id = ${owner.clientId}
            AND state = 'open' RETURNING request_id`
          if (closed.length === 0) return Option.none()
          return Option.some(
            yield* append(owner, { role: "user", msgType: "permission_response", content, metadata: { requestId } })
          )
        },
        sql.withTransaction,
        Effect.orDie
      ),

      answersTo: Effect.fn("AssistantStore.answersTo")((messageId, instance) =>
        sql<{ answer: string }>`SELECT answer FROM assistant_questions
          WHERE about = ${messageId} AND instance = ${instance} AND state = 'answered'`.pipe(
          Effect.map((rows) => rows.map(({ answer }) => JSON.parse(answer) as Answered)),
          Effect.orDie
        )
      ),

      withdraw: Effect.fn("AssistantStore.withdraw")(({ assistantId, userId }, requestId) =>
        sql`UPDATE assistant_questions SET state = 'withdrawn'
          WHERE user_id = ${userId} AND request_id = ${requestId} AND assistant_id = ${assistantId} AND state = 'open'`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      ),

      withdrawEarlier: Effect.fn("AssistantStore.withdrawEarlier")((assistantId, instance) =>
        sql`UPDATE assistant_questions SET state = 'withdrawn'
          WHERE assistant_id = ${assistantId} AND instance <> ${instance} AND state = 'open'`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      )
    }
  })
)

interface NewMessage {
  readonly role: "user" | "assistant"
  readonly msgType: string
  readonly content: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly waiting?: boolean
  readonly answers?: string
}
