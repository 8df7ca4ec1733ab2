import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Requests for tasks, their threads and the inbox. */
const threads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE requests (
    request_id TEXT PRIMARY KEY, kind TEXT NOT NULL, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, user_id TEXT NOT NULL,
    reply_token_enc TEXT NOT NULL, open_id TEXT, locale TEXT, prompt TEXT NOT NULL, name TEXT,
    attachments TEXT NOT NULL, state TEXT NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 1, attempt INTEGER NOT NULL,
    create_sent_at BIGINT, sends_again INTEGER NOT NULL DEFAULT 0, task_id TEXT, message_id TEXT, thread_id TEXT, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX requests_by_user ON requests (user_id, state)`
  yield* sql`CREATE TABLE threads (
    thread_id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, owner_id TEXT NOT NULL,
    task_id TEXT NOT NULL, name TEXT NOT NULL, last_seen_id TEXT NOT NULL, closed_at BIGINT, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE inbox (
    event_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, kind TEXT NOT NULL, author_id TEXT NOT NULL,
    author_name TEXT NOT NULL, content TEXT NOT NULL, attachments TEXT NOT NULL, first INTEGER NOT NULL, state TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0, late INTEGER NOT NULL, received_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX inbox_by_thread ON inbox (thread_id, state)`
  yield* sql`CREATE INDEX inbox_by_state ON inbox (state)`
  yield* sql`CREATE TABLE told_once (thread_id TEXT NOT NULL, told_key TEXT NOT NULL, PRIMARY KEY (thread_id, told_key))`
  yield* sql`CREATE TABLE channels_seen (id INTEGER PRIMARY KEY CHECK (id = 1), message_id TEXT NOT NULL)`
})

/** Turns, their posts and the agents' requests. */
const turns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE turns (
    turn_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, started_at BIGINT NOT NULL, baseline TEXT,
    prompted INTEGER NOT NULL, stop_asked INTEGER NOT NULL DEFAULT 0, ended TEXT, shown TEXT
  )`
  yield* sql`CREATE INDEX turns_by_thread ON turns (thread_id)`
  yield* sql`CREATE TABLE posts (
    turn_id TEXT NOT NULL, post_key TEXT NOT NULL, message_id TEXT, hash TEXT NOT NULL, files TEXT NOT NULL,
    PRIMARY KEY (turn_id, post_key)
  )`
  yield* sql`CREATE TABLE replies (
    reply_id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE permissions (
    permission_id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, thread_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
    tool_call_id TEXT NOT NULL, after_entries INTEGER NOT NULL, after_chars INTEGER NOT NULL, form TEXT NOT NULL,
    title TEXT NOT NULL, detail TEXT NOT NULL, options TEXT NOT NULL, questions TEXT NOT NULL, draft TEXT NOT NULL,
    drafted_by TEXT NOT NULL DEFAULT '{}', step INTEGER NOT NULL DEFAULT 0, page INTEGER NOT NULL DEFAULT 0,
    removed_authors TEXT,
    state TEXT NOT NULL, answer TEXT, answered_by TEXT, answered_at BIGINT, sent INTEGER NOT NULL,
    asked_at BIGINT NOT NULL, deadline_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX permissions_by_turn ON permissions (turn_id)`
})

/** The artifact cards of a thread, versions of plans, and private links. */
export const artifacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE artifact_cards (
    thread_id TEXT NOT NULL, uri TEXT NOT NULL, number INTEGER NOT NULL, created_at BIGINT NOT NULL,
    made_in TEXT NOT NULL, changed_in TEXT NOT NULL, deleted INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (thread_id, uri)
  )`
  yield* sql`CREATE TABLE file_offers (
    turn_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, message_id TEXT NOT NULL, offer TEXT NOT NULL,
    UNIQUE (thread_id, message_id)
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

/** Rules, shares, the audit log and task cards. */
const access = Effect.gen(function* () {
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
  yield* sql`CREATE TABLE task_cards (
    thread_id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, message_id TEXT NOT NULL, words TEXT NOT NULL,
    access TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE agent_offers (task_id TEXT PRIMARY KEY, offers TEXT NOT NULL, said TEXT NOT NULL)`
  yield* sql`CREATE TABLE agent_defaults (
    guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, mode TEXT, model TEXT, PRIMARY KEY (guild_id, channel_id)
  )`
  yield* sql`CREATE TABLE guild_settings (guild_id TEXT PRIMARY KEY, language TEXT)`
  yield* sql`CREATE TABLE guild_commands (guild_id TEXT PRIMARY KEY, hash TEXT NOT NULL, ids TEXT NOT NULL)`
  yield* sql`CREATE TABLE audit (
    event_id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, at BIGINT NOT NULL, actor_id TEXT NOT NULL, thread_id TEXT,
    action TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX audit_by_guild ON audit (guild_id, at)`
  yield* sql`CREATE INDEX audit_by_thread ON audit (thread_id)`
})

/** Accounts: redemptions, private messages, open cards, and grants to revoke. */
const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE redemptions (
    request_id TEXT PRIMARY KEY, form_id TEXT NOT NULL, user_id TEXT NOT NULL, open_id TEXT, guild_id TEXT,
    locale TEXT NOT NULL, reply_token_enc TEXT NOT NULL, secret_enc TEXT, attempts INTEGER NOT NULL,
    next_at BIGINT NOT NULL, outcome TEXT NOT NULL, settled INTEGER NOT NULL, told INTEGER NOT NULL,
    created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX redemptions_by_user ON redemptions (user_id, settled)`
  yield* sql`CREATE TABLE direct_messages (
    message_key TEXT PRIMARY KEY, user_id TEXT NOT NULL, content TEXT NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX direct_messages_by_user ON direct_messages (user_id)`
  yield* sql`CREATE TABLE credit_hints (user_id TEXT PRIMARY KEY, told_at BIGINT NOT NULL)`
  yield* sql`CREATE TABLE open_cards (
    card_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, guild_id TEXT, locale TEXT NOT NULL,
    reply_token_enc TEXT NOT NULL, message_id TEXT, offer_id TEXT, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE account_offers (
    offer_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX account_offers_by_user ON account_offers (user_id)`
  yield* sql`CREATE TABLE grants_to_end (grant_id TEXT PRIMARY KEY, due_at BIGINT NOT NULL, since BIGINT)`
  yield* sql`CREATE TABLE locales (user_id TEXT PRIMARY KEY, locale TEXT NOT NULL)`
})

/** Chats with the assistants on people's own computers. */
const assistant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE assistant_chats (
    thread_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, open_id TEXT,
    cursor TEXT, last_seen_id TEXT NOT NULL, last_post_id TEXT NOT NULL, active_until BIGINT NOT NULL,
    closed_at BIGINT, created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE assistant_inbox (
    event_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, content TEXT NOT NULL, sent_at BIGINT, sent INTEGER NOT NULL,
    message_id TEXT
  )`
  yield* sql`CREATE INDEX assistant_inbox_by_thread ON assistant_inbox (thread_id, sent)`
  yield* sql`CREATE INDEX assistant_inbox_by_message ON assistant_inbox (message_id)`
  yield* sql`CREATE TABLE assistant_questions (
    question_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, question TEXT NOT NULL, draft TEXT NOT NULL,
    state TEXT NOT NULL, post_id TEXT
  )`
})

/** The row that health checks write. */
const health = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE store_check (id INTEGER PRIMARY KEY CHECK (id = 0), writes INTEGER NOT NULL)`
  yield* sql`INSERT INTO store_check (id, writes) VALUES (0, 0)`
})

/** Every table of the bot; storage-schema.md describes the columns. */
export const create = Effect.all([threads, turns, artifacts, access, accounts, assistant, health], { discard: true })
