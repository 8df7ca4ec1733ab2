import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Redemptions until they are settled and told, and private words that could not be said yet. */
export const account = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE redemptions (
    request_id TEXT PRIMARY KEY, form_id TEXT NOT NULL, user_id TEXT NOT NULL, guild_id TEXT, locale TEXT NOT NULL,
    reply_token TEXT NOT NULL, secret_enc TEXT, attempts INTEGER NOT NULL, next_at BIGINT NOT NULL,
    outcome TEXT NOT NULL, settled INTEGER NOT NULL, told INTEGER NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX redemptions_by_user ON redemptions (user_id, settled)`
  yield* sql`CREATE TABLE notices (
    notice_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, content TEXT NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE credit_hints (user_id TEXT PRIMARY KEY, told_at BIGINT NOT NULL)`
  yield* sql`CREATE TABLE assistant_chats (
    thread_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, cursor TEXT,
    last_seen_id TEXT NOT NULL, last_post_id TEXT NOT NULL, active_until BIGINT NOT NULL, closed_at BIGINT,
    created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE assistant_inbox (
    event_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, content TEXT NOT NULL, sent INTEGER NOT NULL
  )`
  yield* sql`CREATE INDEX assistant_inbox_by_thread ON assistant_inbox (thread_id, sent)`
  yield* sql`CREATE TABLE assistant_questions (
    question_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, question TEXT NOT NULL, draft TEXT NOT NULL,
    state TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX notices_by_user ON notices (user_id)`
})
