import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as SqliteError from "./SqliteError.ts"

/** Writes a row as it is: fails where the database takes no writes, as on a full disk or a read-only one. */
export const run: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.asVoid(sql`UPDATE master_key SET fingerprint = fingerprint`)
)

/** Whether an error says that the database takes no writes at the moment. */
export const isRefusal = (error: unknown): boolean =>
  /^SQLITE_(BUSY|FULL|IOERR|READONLY)/.test(SqliteError.codeOf(error))
