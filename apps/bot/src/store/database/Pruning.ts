import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ReplyToken from "./ReplyToken.ts"

/** The ages of finished rows to delete, in epoch milliseconds. */
export interface Horizon {
  /** Cluster messages to owners; the inbox row shows that a message was handled. */
  readonly deliveries: number
  /** Reply tokens of commands. */
  readonly answers: number
  /** Messages, turns and requests. */
  readonly history: number
}

/** Deletes finished rows in small steps, so that other writes can run in between. */
export const prune = Effect.fn("Pruning.prune")(function* (until: Horizon) {
  const sql = yield* SqlClient.SqlClient
  const id = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: until.deliveries })
  const deliveries = sql.literal(
    `SELECT id FROM cluster_messages WHERE processed = 1 AND id < ${id} ORDER BY id LIMIT ${atATime}`
  )
  const turns = sql.literal(
    `SELECT event_id FROM inbox WHERE state NOT IN ('queued', 'running') AND received_at < ${until.history} LIMIT ${atATime}`
  )
  for (const table of ["requests", "redemptions"]) {
    yield* sql`UPDATE ${sql(table)} SET reply_token_enc = ''
      WHERE created_at < ${until.answers} AND reply_token_enc <> ''`
  }
  for (const table of ["open_cards", "account_offers"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE created_at < ${until.answers}`
  }
  yield* wholly([
    sql`DELETE FROM cluster_replies WHERE request_id IN (${deliveries})`,
    sql`DELETE FROM cluster_messages WHERE id IN (${deliveries}) RETURNING id`
  ])
  yield* wholly([
    sql`DELETE FROM posts WHERE turn_id IN (${turns})`,
    sql`DELETE FROM turns WHERE turn_id IN (${turns})`,
    sql`DELETE FROM inbox WHERE event_id IN (${turns}) RETURNING event_id`
  ])
  yield* sql`DELETE FROM requests WHERE state <> 'starting' AND created_at < ${until.history}`
})

/** Prunes every minute: cluster messages after ten minutes, reply tokens after fifteen, history after thirty days. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.scopedDiscard(
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) =>
      prune({ deliveries: now - 10 * 60_000, answers: now - ReplyToken.life, history: now - 30 * 86_400_000 })
    ),
    Effect.catchAllCause((cause) => Effect.logWarning("What is finished could not be forgotten", cause)),
    Effect.delay("1 minute"),
    Effect.forever,
    Effect.forkScoped
  )
)

/** Repeats the steps, each round in one transaction, until the last step finds no row. */
const wholly = <E>(steps: ReadonlyArray<Effect.Effect<ReadonlyArray<unknown>, E>>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(Effect.all(steps))
      .pipe(Effect.repeat({ while: (found) => (found.at(-1)?.length ?? 0) === atATime }), Effect.asVoid)
  )

/** The row limit of a transaction. */
const atATime = 200
