import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Who waits is shown by a card that belongs to the running turn; who wrote a message and whether it was read late is kept. */
export const queue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE inbox DROP COLUMN marked`
  yield* sql`ALTER TABLE inbox ADD COLUMN author_name TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE inbox ADD COLUMN late INTEGER NOT NULL DEFAULT 0`
})
