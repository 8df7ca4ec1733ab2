import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { column } from "./database/Json.ts"
import * as Table from "./database/Table.ts"

const Body = Schema.Struct({
  content: Schema.String,
  /** A button below the text. */
  button: Schema.optionalWith(Schema.Struct({ label: Schema.String, customId: Schema.String }), { exact: true })
})

/** A reply to a message, apart from the answer of a task. */
export interface Reply {
  /** The idempotency key and nonce: at most 25 characters. */
  readonly replyId: string
  readonly channelId: string
  /** The message that it replies to. */
  readonly messageId: string
  readonly body: typeof Body.Type
}

/** Replies that may not be posted yet. */
export class Replies extends Context.Tag("@heddle/bot/Replies")<
  Replies,
  {
    /** Stores a reply, in the transaction of its cause. */
    readonly add: (reply: Reply) => Effect.Effect<void>
    readonly pending: Effect.Effect<ReadonlyArray<Reply>>
    readonly remove: (replyId: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(Replies, (sql) =>
  Replies.of({
    add: (reply) =>
      sql`INSERT INTO replies ${sql.insert(toRow(reply))} ON CONFLICT (reply_id) DO NOTHING`.pipe(Table.write),
    pending: sql<Row>`SELECT * FROM replies`.pipe(
      Table.all((row) => ({
        replyId: row.reply_id,
        channelId: row.channel_id,
        messageId: row.message_id,
        body: body.read(row.body)
      }))
    ),
    remove: (replyId) => sql`DELETE FROM replies WHERE reply_id = ${replyId}`.pipe(Table.write)
  })
)

const body = column(Body)

interface Row {
  readonly reply_id: string
  readonly channel_id: string
  readonly message_id: string
  readonly body: string
}

const toRow = ({ body: said, channelId, messageId, replyId }: Reply) => ({
  reply_id: replyId,
  channel_id: channelId,
  message_id: messageId,
  body: body.write(said)
})
