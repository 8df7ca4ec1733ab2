import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Applications, accounts, grants, tasks and tickets; `storage-schema.md` says what each column holds. */
export const accountsAndTasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})

const statements = [
  `CREATE TABLE applications (
    client_id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE TABLE application_secrets (
    secret_hash TEXT PRIMARY KEY NOT NULL,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX application_secrets_client ON application_secrets (client_id)`,
  `CREATE TABLE accounts (
    user_id TEXT PRIMARY KEY NOT NULL,
    login TEXT NOT NULL UNIQUE,
    nickname TEXT NOT NULL,
    avatar TEXT NOT NULL,
    phone TEXT,
    password_hash TEXT,
    created_at BIGINT NOT NULL
  )`,
  `CREATE TABLE credit_packs (
    pack_id TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    size BIGINT NOT NULL,
    used BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX credit_packs_user ON credit_packs (user_id)`,
  `CREATE TABLE sign_ins (
    session_hash TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    expires_at BIGINT NOT NULL
  )`,
  `CREATE TABLE consents (
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    scope TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id, scope)
  )`,
  `CREATE TABLE grants (
    grant_id TEXT PRIMARY KEY NOT NULL,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  `CREATE TABLE authorization_codes (
    code_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  `CREATE TABLE access_tokens (
    token_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    scope TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX access_tokens_expiry ON access_tokens (expires_at)`,
  `CREATE TABLE refresh_tokens (
    token_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    expires_at BIGINT NOT NULL,
    absolute_expires_at BIGINT NOT NULL,
    used_at BIGINT,
    replay TEXT
  )`,
  `CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY NOT NULL,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX tasks_owner ON tasks (client_id, user_id, created_at, task_id)`,
  `CREATE TABLE task_requests (
    client_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    task_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (client_id, user_id, key_hash)
  )`,
  `CREATE TABLE tickets (
    token_hash TEXT PRIMARY KEY NOT NULL,
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    sealed TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX tickets_task ON tickets (task_id, expires_at)`
]
