import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ReplyToken from "./ReplyToken.ts"

/** Up to when what is finished is forgotten, in epoch milliseconds. */
export interface Horizon {
  /** Of deliveries to owners: that a message was handled is known from its own row. */
  readonly deliveries: number
  /** Of tokens that answer commands. */
  readonly answers: number
  /** Of messages and their turns, and of requests. */
  readonly history: number
}

/** Forgets what is finished and nobody needs any more, a little at a time, so that others can write in between. */
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

/**
 * Prunes every minute: deliveries of more than ten minutes ago, answers to commands of more than fifteen, history of more
 * than thirty days ago.
 */
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

/** Does the steps in one transaction, again and again until the last of them finds nothing more. */
const wholly = <E>(steps: ReadonlyArray<Effect.Effect<ReadonlyArray<unknown>, E>>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(Effect.all(steps))
      .pipe(Effect.repeat({ while: (found) => (found.at(-1)?.length ?? 0) === atATime }), Effect.asVoid)
  )

/** How many rows go in one transaction. */
const atATime = 200
