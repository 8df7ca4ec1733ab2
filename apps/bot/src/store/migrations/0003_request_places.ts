import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The place of a request's card also counts the agent's text, since replays join messages. */
export const addRequestPlaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE permissions ADD COLUMN after_text INTEGER`
  yield* sql`ALTER TABLE permissions ADD COLUMN after_steps INTEGER`
})
