import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A request knows which like tasks were there before its creation was sent. */
export const addEarlierTasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE requests ADD COLUMN earlier_tasks TEXT`
})
