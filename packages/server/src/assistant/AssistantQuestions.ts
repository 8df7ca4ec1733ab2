import * as SqlClient from "@effect/sql/SqlClient"
import type { QuestionResponse, QuestionRequest, Question } from "@heddle/core/api/AssistantProtocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Owner } from "../tasks/TaskStore.ts"
import type { Identity } from "./AssistantCredentials.ts"
import * as MessageRows from "./MessageRows.ts"

/** A stored question of an agent. */
export interface QuestionRow {
  /** The id of its message. */
  readonly messageId: string
  readonly assistantId: string
  readonly instance: string
  readonly answerable: boolean
  readonly state: "open" | "answered" | "withdrawn"
  readonly questions: ReadonlyArray<Question>
}

/** The questions of agents on users' computers while they answer a message, and the answers of applications. */
export class AssistantQuestions extends Context.Tag("@heddle/server/assistant/AssistantQuestions")<
  AssistantQuestions,
  {
    /** Adds a question about a message; a repeated request is the same row. */
    readonly ask: (
      by: Identity & { readonly instance: string },
      messageId: string,
      request: QuestionRequest
    ) => Effect.Effect<Option.Option<string>>
    /** The question of the conversation that has this request id; the latest if there are several. */
    readonly question: (owner: Owner, requestId: string) => Effect.Effect<Option.Option<QuestionRow>>
    /** Stores an application's answer; returns the id of its message, or none if the question is no longer open. */
    readonly answer: (
      owner: Owner,
      question: QuestionRow,
      answer: QuestionResponse,
      content: string
    ) => Effect.Effect<Option.Option<string>>
    /** The answers to the questions of one run of a program about a message. */
    readonly answersTo: (messageId: string, instance: string) => Effect.Effect<ReadonlyArray<QuestionResponse>>
    /** Closes a question of a computer's program that no longer needs an answer. */
    readonly withdraw: (by: Identity, requestId: string) => Effect.Effect<void>
    /** Closes the questions of earlier runs of a computer's program. */
    readonly withdrawEarlier: (assistantId: string, instance: string) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<AssistantQuestions, never, SqlClient.SqlClient> = Layer.effect(
  AssistantQuestions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { append, conversationOf } = yield* MessageRows.make

    return {
      ask: Effect.fn("AssistantQuestions.ask")(
        function* (by, about, request) {
          const owner = yield* conversationOf(by.userId, about)
          if (owner === undefined) return Option.none()
          const earlier = yield* sql<{ messageId: string }>`SELECT message_id AS "messageId" FROM assistant_questions
          WHERE user_id = ${by.userId} AND about = ${about} AND request_id = ${request.requestId}`
          if (earlier[0] !== undefined) return Option.some(earlier[0].messageId)
          const { answerable, kind, questions, requestId, text } = request
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

      question: Effect.fn("AssistantQuestions.question")((owner, requestId) =>
        sql<
          Omit<QuestionRow, "answerable" | "questions"> & { answerable: number; questions: string }
        >`SELECT q.message_id AS "messageId",
            q.assistant_id AS "assistantId", q.instance, q.answerable, q.state, q.questions
          FROM assistant_questions q JOIN assistant_messages m ON m.message_id = q.message_id
          WHERE q.user_id = ${owner.userId} AND q.request_id = ${requestId} AND q.client_id = ${owner.clientId}
          ORDER BY m.seq DESC LIMIT 1`.pipe(
          Effect.map((rows) => Option.fromNullable(rows[0])),
          Effect.map(
            Option.map((row) => ({
              ...row,
              answerable: row.answerable === 1,
              questions: JSON.parse(row.questions) as Array<Question>
            }))
          ),
          Effect.orDie
        )
      ),

      answer: Effect.fn("AssistantQuestions.answer")(
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

      answersTo: Effect.fn("AssistantQuestions.answersTo")((messageId, instance) =>
        sql<{ answer: string }>`SELECT answer FROM assistant_questions
          WHERE about = ${messageId} AND instance = ${instance} AND state = 'answered'`.pipe(
          Effect.map((rows) => rows.map(({ answer }) => JSON.parse(answer) as QuestionResponse)),
          Effect.orDie
        )
      ),

      withdraw: Effect.fn("AssistantQuestions.withdraw")(({ assistantId, userId }, requestId) =>
        sql`UPDATE assistant_questions SET state = 'withdrawn'
          WHERE user_id = ${userId} AND request_id = ${requestId} AND assistant_id = ${assistantId} AND state = 'open'`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      ),

      withdrawEarlier: Effect.fn("AssistantQuestions.withdrawEarlier")((assistantId, instance) =>
        sql`UPDATE assistant_questions SET state = 'withdrawn'
          WHERE assistant_id = ${assistantId} AND instance <> ${instance} AND state = 'open'`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      )
    }
  })
)
