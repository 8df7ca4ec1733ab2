import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/**
 * A database file that several processes use: each waits for the locks of the others. libsql, unlike better-sqlite3, does
 * not wait by default. It also leaves a statement with RETURNING unfinished when it meets a lock, so that nothing that
 * follows is committed.
 */
export const layer = (filename: string, options: Omit<SqliteClient.SqliteClientConfig, "filename"> = {}) =>
  Layer.tap(
    SqliteClient.layer({ filename, ...options }),
    (context) => Context.get(context, SqlClient.SqlClient)`PRAGMA busy_timeout = 5000`
  )
