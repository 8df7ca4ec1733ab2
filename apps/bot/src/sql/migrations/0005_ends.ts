import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** How a turn ended is kept before it is shown; a command is acknowledged after it is stored. */
export const ends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE turns ADD COLUMN ended TEXT`
  yield* sql`ALTER TABLE requests ADD COLUMN acknowledged INTEGER NOT NULL DEFAULT 1`
})
