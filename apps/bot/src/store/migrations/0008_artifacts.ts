import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** One card for each artifact of a thread, the texts that its plans had, and links to its files. */
export const artifacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE artifact_cards (
    thread_id TEXT NOT NULL, uri TEXT NOT NULL, number INTEGER NOT NULL, created_at BIGINT NOT NULL,
    made_in TEXT NOT NULL, changed_in TEXT NOT NULL, deleted INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (thread_id, uri)
  )`
  yield* sql`CREATE TABLE plan_versions (
    thread_id TEXT NOT NULL, uri TEXT NOT NULL, number INTEGER NOT NULL, version INTEGER, text TEXT NOT NULL,
    seen_at BIGINT NOT NULL, PRIMARY KEY (thread_id, uri, number)
  )`
  yield* sql`CREATE TABLE download_links (
    token_hash TEXT PRIMARY KEY, thread_id TEXT NOT NULL, uri TEXT NOT NULL, user_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
})
