import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A task has one of several agents; an earlier one keeps whichever is the first. */
export const addAgents = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`ALTER TABLE tasks ADD COLUMN agent TEXT NOT NULL DEFAULT 'default'`
)
