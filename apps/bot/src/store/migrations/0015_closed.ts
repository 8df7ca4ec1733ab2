import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** An answer that was cut by the end of its thread is handled another time when the thread goes on. */
export const closed = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`ALTER TABLE inbox ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0`
)
