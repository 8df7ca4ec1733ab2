import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Finds the deleted tasks, and those that were archived long ago. */
export const addTasksByStatus = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE INDEX tasks_status ON tasks (status, updated_at)`
)
