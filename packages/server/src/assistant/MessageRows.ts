import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Crypto from "node:crypto"
import type { Owner } from "../tasks/TaskStore.ts"

/** A message to be added; `answers` is the id of the message that it completes the answer to. */
export interface NewMessage {
  readonly role: "user" | "assistant"
  readonly msgType: string
  readonly content: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly waiting?: boolean
  readonly answers?: string
}

/** What messages and questions share: both are rows of `assistant_messages`. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Adds a message behind the user's others and gives its id. */
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

  /** The conversation of a message that the user wrote, and whether the message still waits for its answer. */
  const conversationOf = (userId: string, messageId: string) =>
    sql<
      Owner & { readonly waiting: number }
    >`SELECT client_id AS "clientId", user_id AS "userId", waiting FROM assistant_messages
      WHERE message_id = ${messageId} AND user_id = ${userId} AND role = 'user'`.pipe(Effect.map((rows) => rows[0]))

  return { append, conversationOf }
})
