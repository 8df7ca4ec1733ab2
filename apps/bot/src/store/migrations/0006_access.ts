import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Who may do what in a server and in a task, what was decided and changed, and the cards that tell it. */
export const access = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE access_rules (
    guild_id TEXT NOT NULL, subject TEXT NOT NULL, subject_id TEXT NOT NULL, channel_id TEXT NOT NULL,
    capability TEXT NOT NULL, allow INTEGER NOT NULL,
    PRIMARY KEY (guild_id, subject, subject_id, channel_id, capability)
  )`
  yield* sql`CREATE TABLE task_shares (
    task_id TEXT NOT NULL, user_id TEXT NOT NULL, reply INTEGER NOT NULL, approve INTEGER NOT NULL,
    PRIMARY KEY (task_id, user_id)
  )`
  yield* sql`CREATE TABLE guild_settings (guild_id TEXT PRIMARY KEY, language TEXT)`
  yield* sql`CREATE TABLE audit (
    event_id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, at BIGINT NOT NULL, actor_id TEXT NOT NULL, thread_id TEXT,
    deed TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX audit_by_guild ON audit (guild_id, at)`
  yield* sql`CREATE TABLE task_cards (
    thread_id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, message_id TEXT NOT NULL, words TEXT NOT NULL,
    access TEXT NOT NULL
  )`
})
