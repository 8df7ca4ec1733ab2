import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A service may offer several agents: a request and the settings may name one, and a task shows its own. */
export const addAgents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE requests ADD COLUMN agent TEXT`
  yield* sql`ALTER TABLE requests ADD COLUMN sent_agent TEXT`
  yield* sql`ALTER TABLE agent_defaults ADD COLUMN agent TEXT`
  yield* sql`CREATE TABLE task_agents (task_id TEXT PRIMARY KEY, agent TEXT NOT NULL)`
})
