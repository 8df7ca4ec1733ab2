import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Tickets end with the grant that they were given out under; those of which nobody knows it end now. */
export const ticketsByGrant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM tickets`
  yield* sql`ALTER TABLE tickets ADD COLUMN grant_id TEXT REFERENCES grants (grant_id)`
  yield* sql`CREATE INDEX tickets_grant ON tickets (grant_id)`
  yield* sql`CREATE INDEX tickets_expiry ON tickets (expires_at)`
})
