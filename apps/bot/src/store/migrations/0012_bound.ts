import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** What waits belongs to the account that it was asked for; tokens that answer commands are encrypted. */
export const bound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE requests ADD COLUMN open_id TEXT`
  yield* sql`ALTER TABLE redemptions ADD COLUMN open_id TEXT`
  yield* sql`ALTER TABLE assistant_chats ADD COLUMN open_id TEXT`
  for (const table of ["requests", "redemptions"]) {
    // They were good for a quarter of an hour: what is said later is said elsewhere.
    yield* sql`UPDATE ${sql(table)} SET reply_token = ''`
    yield* sql`ALTER TABLE ${sql(table)} RENAME COLUMN reply_token TO reply_token_enc`
  }
  yield* sql`CREATE TABLE open_cards (
    card_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, guild_id TEXT, locale TEXT NOT NULL,
    reply_token_enc TEXT NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE grants_to_end (grant_id TEXT PRIMARY KEY, due_at BIGINT NOT NULL)`
})
