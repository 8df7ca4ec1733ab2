import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The key that belongs to the database, as a fingerprint; at most one row. */
export const addMasterKey = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE TABLE master_key (fingerprint TEXT PRIMARY KEY NOT NULL)`
)
