import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A repeated change of what an agent offers is told again. */
export const countToldChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE agent_offers ADD COLUMN told INTEGER NOT NULL DEFAULT 0`
})
