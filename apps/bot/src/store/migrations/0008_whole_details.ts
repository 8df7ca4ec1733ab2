import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A request keeps all of its detail where the card has only a part. */
export const addWholeDetails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE permissions ADD COLUMN whole_detail TEXT`
})
