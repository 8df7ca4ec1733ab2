import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Table from "../database/Table.ts"

/** A private message that is not delivered yet. */
export interface PendingDirectMessage {
  /** The idempotency key. */
  readonly key: string
  readonly content: string
}

/** The undelivered private messages. */
export class DirectMessageRows extends Context.Tag("@heddle/bot/DirectMessageRows")<
  DirectMessageRows,
  {
    readonly add: (userId: string, message: PendingDirectMessage) => Effect.Effect<void>
    readonly remove: (key: string) => Effect.Effect<void>
    /** The three oldest of a person. */
    readonly oldest: (userId: string) => Effect.Effect<ReadonlyArray<PendingDirectMessage>>
  }
>() {}

export const layer = Table.layer(DirectMessageRows, (sql) =>
  DirectMessageRows.of({
    add: (userId, { content, key }) =>
      Table.writeNow(
        (now) => sql`INSERT INTO direct_messages
            ${sql.insert({ message_key: key, user_id: userId, content, created_at: now })}
            ON CONFLICT (message_key) DO NOTHING`
      ),
    remove: (key) => sql`DELETE FROM direct_messages WHERE message_key = ${key}`.pipe(Table.write),
    oldest: (userId) =>
      Effect.orDie(sql<PendingDirectMessage>`SELECT message_key AS key, content FROM direct_messages
          WHERE user_id = ${userId} ORDER BY created_at LIMIT 3`)
  })
)
