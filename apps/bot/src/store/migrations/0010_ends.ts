import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** What is asked, owed and known is kept before it is acted on: ends of turns, stops, replies, how far channels were read. */
export const ends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE turns ADD COLUMN ended TEXT`
  yield* sql`ALTER TABLE turns ADD COLUMN stop_asked INTEGER NOT NULL DEFAULT 0`
  yield* sql`CREATE TABLE replies (
    reply_id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE channels_seen (id INTEGER PRIMARY KEY CHECK (id = 1), message_id TEXT NOT NULL)`
  yield* sql`ALTER TABLE requests ADD COLUMN acknowledged INTEGER NOT NULL DEFAULT 1`
})
