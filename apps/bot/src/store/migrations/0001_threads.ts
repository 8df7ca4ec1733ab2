import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Everything that the bot remembers; the columns are described in storage-schema.md. */
export const create = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE links (
    state TEXT PRIMARY KEY, user_id TEXT NOT NULL, pending TEXT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT
  )`
  yield* sql`CREATE TABLE requests (
    request_id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, user_id TEXT NOT NULL,
    reply_token TEXT NOT NULL, prompt TEXT NOT NULL, name TEXT, attachments TEXT NOT NULL,
    state TEXT NOT NULL, attempt INTEGER NOT NULL, task_id TEXT, message_id TEXT, thread_id TEXT,
    created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX requests_by_user ON requests (user_id, state)`
  yield* sql`CREATE TABLE threads (
    thread_id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, owner_id TEXT NOT NULL,
    task_id TEXT NOT NULL, name TEXT NOT NULL, last_seen_id TEXT NOT NULL, closed_at BIGINT, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE inbox (
    event_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, author_id TEXT NOT NULL, content TEXT NOT NULL,
    attachments TEXT NOT NULL, first INTEGER NOT NULL, state TEXT NOT NULL, marked INTEGER NOT NULL,
    received_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX inbox_by_thread ON inbox (thread_id, state)`
  yield* sql`CREATE TABLE turns (
    turn_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, started_at BIGINT NOT NULL, baseline TEXT,
    prompted INTEGER NOT NULL
  )`
  yield* sql`CREATE TABLE posts (
    turn_id TEXT NOT NULL, post_key TEXT NOT NULL, message_id TEXT, hash TEXT NOT NULL, files TEXT NOT NULL,
    PRIMARY KEY (turn_id, post_key)
  )`
  yield* sql`CREATE TABLE permissions (
    permission_id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, thread_id TEXT NOT NULL, tool_call_id TEXT NOT NULL,
    asked_at BIGINT NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL, options TEXT NOT NULL,
    state TEXT NOT NULL, option_index INTEGER, answered_by TEXT, answered_at BIGINT, sent INTEGER NOT NULL
  )`
  yield* sql`CREATE INDEX permissions_by_turn ON permissions (turn_id)`
  yield* sql`CREATE TABLE told (thread_id TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (thread_id, user_id))`
  yield* sql`CREATE TABLE guild_commands (guild_id TEXT PRIMARY KEY, hash TEXT NOT NULL)`
})
