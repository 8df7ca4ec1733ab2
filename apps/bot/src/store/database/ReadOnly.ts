import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/**
 * Reads a database file, also while a bot uses it. Runs in a process without a bot: a closed handle of the file would
 * drop the bot's locks. A file that cannot be opened is a `SqlError`, and each `SqlError` has the message of SQLite.
 */
export const use = <A, E, R>(
  database: string,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, Exclude<R, SqlClient.SqlClient>> =>
  Effect.scoped(Effect.flatMap(open(database), (sql) => Effect.provideService(read, SqlClient.SqlClient, sql))).pipe(
    Effect.mapError((error) => (error instanceof SqlError ? withMessage(error.cause) : error))
  )

/** The client throws when it cannot open the file. */
const open = (database: string) =>
  SqliteClient.make({ filename: database, readonly: true, disableWAL: true }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.catchAllDefect((cause) => Effect.fail(withMessage(cause)))
  )

const withMessage = (cause: unknown) =>
  new SqlError({ cause, message: cause instanceof Error ? cause.message : "unknown" })
