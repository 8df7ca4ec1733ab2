import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** One row that is written only to see that writing works; what is unfinished is found however much is finished. */
export const check = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE store_check (id INTEGER PRIMARY KEY CHECK (id = 0), writes INTEGER NOT NULL)`
  yield* sql`INSERT INTO store_check (id, writes) VALUES (0, 0)`
  yield* sql`CREATE INDEX inbox_by_state ON inbox (state)`
})
