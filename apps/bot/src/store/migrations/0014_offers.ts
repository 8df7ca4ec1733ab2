import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Each offer of another account has an id, which its card names; private answers that came besides have one, too. */
export const offers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE account_offers (
    offer_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX account_offers_by_user ON account_offers (user_id)`
  yield* sql`ALTER TABLE open_cards ADD COLUMN message_id TEXT`
  yield* sql`ALTER TABLE open_cards ADD COLUMN offer_id TEXT`
})
