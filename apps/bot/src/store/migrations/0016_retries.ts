import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Since when a grant is to be ended: the longer it takes, the less often the service is told again. */
export const retries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE grants_to_end ADD COLUMN since BIGINT`
  yield* sql`UPDATE grants_to_end SET since = due_at`
})
