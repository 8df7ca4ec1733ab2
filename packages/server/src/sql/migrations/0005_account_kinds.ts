import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Accounts of organisations beside those of people. */
export const accountKinds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN personal INTEGER NOT NULL DEFAULT 1`
})
