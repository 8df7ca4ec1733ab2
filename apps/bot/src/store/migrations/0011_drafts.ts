import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Who gave each answer of a draft. */
export const drafts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`ALTER TABLE permissions ADD COLUMN drafted_by TEXT NOT NULL DEFAULT '{}'`
)
