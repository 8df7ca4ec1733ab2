import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { retention } from "./audit/Audit.ts"

/**
 * Deletes expired rows in small batches, so that other queries wait only briefly; returns how many. Used codes stay a
 * day longer, so that a replay still ends their family; rotated refresh tokens stay until they expire.
 */
export const sweep: Effect.Effect<number, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  let removed = 0
  for (const { age, expiry, table, key, ...rest } of tables) {
    const before = now - Duration.toMillis(age)
    const step = removeSome(table, key, expiry, before, "unless" in rest ? rest.unless : undefined)
    let some = yield* step
    while (some === stepSize) {
      removed += some
      yield* Effect.sleep(pause)
      some = yield* step
    }
    removed += some
  }
  return removed
}).pipe(Effect.withSpan("Housekeeping.sweep"))

/** Sweeps now and then for as long as the service runs. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.scopedDiscard(
  sweep.pipe(
    Effect.tap((removed) => (removed > 0 ? Effect.logDebug(`removed ${removed} expired rows`) : Effect.void)),
    Effect.catchAllCause((cause) =>
      Effect.logWarning("expired rows could not be removed; the next sweep tries again", cause)
    ),
    Effect.schedule(Schedule.spaced("10 minutes")),
    Effect.forkScoped
  )
)

const stepSize = 500
const pause = Duration.millis(50)

const day = Duration.days(1)

const tables = [
  { table: "authorization_codes", key: "code_hash", expiry: "expires_at", age: day },
  { table: "device_codes", key: "device_code_hash", expiry: "expires_at", age: day },
  { table: "access_tokens", key: "token_hash", expiry: "expires_at", age: day },
  { table: "refresh_tokens", key: "token_hash", expiry: "expires_at", age: Duration.zero },
  { table: "tickets", key: "token_hash", expiry: "expires_at", age: Duration.zero },
  // Last of the six: a grant goes when nothing hangs on it any more.
  {
    table: "grants",
    key: "grant_id",
    expiry: "created_at",
    age: day,
    unless: ["authorization_codes", "access_tokens", "refresh_tokens", "tickets"]
  },
  { table: "sign_ins", key: "session_hash", expiry: "expires_at", age: Duration.zero },
  { table: "consents", key: "user_id, client_id, scope", expiry: "expires_at", age: Duration.zero },
  { table: "task_requests", key: "client_id, user_id, key_hash", expiry: "expires_at", age: Duration.zero },
  { table: "audit_events", key: "event_id", expiry: "at", age: retention }
] as const

const removeSome = (table: string, key: string, expiry: string, before: number, unless: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const free = unless.map(
      (child) => sql`NOT EXISTS (SELECT 1 FROM ${sql(child)} c WHERE c.grant_id = ${sql(table)}.grant_id)`
    )
    const columns = sql.literal(key)
    const rows = yield* sql`DELETE FROM ${sql(table)} WHERE (${columns}) IN (SELECT ${columns} FROM ${sql(table)}
      WHERE ${sql.and([sql`${sql(expiry)} <= ${before}`, ...free])} LIMIT ${stepSize}) RETURNING 1`
    return rows.length
  }).pipe(Effect.orDie)
