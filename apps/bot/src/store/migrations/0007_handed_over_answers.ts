import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** An answer that may have reached the agent is given to no other request; that holds for all that were given before. */
export const addHandedOverAnswers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE permissions ADD COLUMN handed_over INTEGER NOT NULL DEFAULT 0`
  yield* sql`UPDATE permissions SET handed_over = 1 WHERE answer IS NOT NULL`
})
