import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Local assistants: credentials, messages, questions; `storage-schema.md` says what each column holds. */
export const localAssistant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})

const statements = [
  `CREATE TABLE assistant_credentials (
    assistant_id TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    token_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  `CREATE INDEX assistant_credentials_user ON assistant_credentials (user_id, created_at)`,
  `CREATE TABLE assistant_messages (
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    seq BIGINT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    role TEXT NOT NULL,
    msg_type TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    waiting INTEGER NOT NULL,
    handed_to TEXT,
    answers TEXT UNIQUE,
    PRIMARY KEY (user_id, seq)
  )`,
  `CREATE INDEX assistant_messages_conversation ON assistant_messages (client_id, user_id, seq)`,
  `CREATE INDEX assistant_messages_waiting ON assistant_messages (waiting, user_id, seq)`,
  `CREATE TABLE assistant_questions (
    request_id TEXT PRIMARY KEY NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    client_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    assistant_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    answerable INTEGER NOT NULL,
    questions TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT
  )`,
  `CREATE INDEX assistant_questions_about ON assistant_questions (about, state)`,
  `CREATE TABLE assistant_requests (
    client_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    message_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (client_id, user_id, key_hash)
  )`
]
