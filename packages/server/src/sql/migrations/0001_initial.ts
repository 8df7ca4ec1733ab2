import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Every table of the service; `storage-schema.md` describes each column. */
export const create = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const triggers = sql.onDialectOrElse({ sqlite: () => appendOnly, orElse: () => [] })
  const tables = [accounts, oauth, audit, credits, redemptions, tasks, sandbox, assistant].flat()
  for (const statement of [...tables, ...triggers]) yield* sql.unsafe(statement)
})

const accounts = [
  `CREATE TABLE accounts (
    user_id TEXT PRIMARY KEY NOT NULL,
    login TEXT NOT NULL UNIQUE,
    nickname TEXT NOT NULL,
    avatar TEXT NOT NULL,
    phone TEXT,
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    personal INTEGER NOT NULL DEFAULT 1
  )`,
  `CREATE TABLE sign_ins (
    session_hash TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX sign_ins_expiry ON sign_ins (expires_at)`
]

const oauth = [
  `CREATE TABLE applications (
    client_id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    public INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE application_secrets (
    secret_hash TEXT PRIMARY KEY NOT NULL,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX application_secrets_client ON application_secrets (client_id)`,
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
  `CREATE INDEX grants_owner ON grants (client_id, user_id)`,
  `CREATE TABLE authorization_codes (
    code_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  `CREATE INDEX authorization_codes_grant ON authorization_codes (grant_id)`,
  `CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at)`,
  `CREATE TABLE access_tokens (
    token_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    scope TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX access_tokens_expiry ON access_tokens (expires_at)`,
  `CREATE INDEX access_tokens_grant ON access_tokens (grant_id)`,
  `CREATE TABLE refresh_tokens (
    token_hash TEXT PRIMARY KEY NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (grant_id),
    expires_at BIGINT NOT NULL,
    absolute_expires_at BIGINT NOT NULL,
    used_at BIGINT,
    replay TEXT
  )`,
  `CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id)`,
  `CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at)`,
  `CREATE TABLE device_codes (
    device_code_hash TEXT PRIMARY KEY NOT NULL,
    user_code_hash TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    scope TEXT NOT NULL,
    interval_seconds INTEGER NOT NULL,
    polled_at BIGINT,
    hurried INTEGER NOT NULL,
    expires_at BIGINT NOT NULL,
    decision TEXT,
    user_id TEXT REFERENCES accounts (user_id),
    used_at BIGINT
  )`,
  `CREATE INDEX device_codes_expiry ON device_codes (expires_at)`
]

const audit = [
  `CREATE TABLE audit_events (
    event_id TEXT PRIMARY KEY NOT NULL,
    at BIGINT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    user_id TEXT,
    client_id TEXT,
    request_id TEXT,
    address_hash TEXT
  )`,
  `CREATE INDEX audit_events_user ON audit_events (user_id, event_id)`,
  `CREATE INDEX audit_events_client ON audit_events (client_id, event_id)`
]

const credits = [
  `CREATE TABLE credit_packs (
    pack_id TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    source TEXT NOT NULL DEFAULT 'initial',
    expires_at BIGINT
  )`,
  `CREATE INDEX credit_packs_user ON credit_packs (user_id)`,
  `CREATE TABLE credit_ledger (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    line INTEGER NOT NULL,
    pack_id TEXT NOT NULL REFERENCES credit_packs (pack_id),
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    amount BIGINT NOT NULL CHECK (amount > 0),
    at BIGINT NOT NULL,
    PRIMARY KEY (kind, reference, line)
  )`,
  `CREATE INDEX credit_ledger_pack ON credit_ledger (pack_id, kind, amount)`
]

const redemptions = [
  `CREATE TABLE redemption_codes (
    code_hash TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    credits BIGINT NOT NULL CHECK (credits > 0),
    uses INTEGER NOT NULL,
    remaining INTEGER NOT NULL CHECK (remaining >= 0),
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (code_hash, key_hash)
  )`,
  `CREATE TABLE redemptions (
    flow_no TEXT PRIMARY KEY NOT NULL,
    code_hash TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    at BIGINT NOT NULL,
    UNIQUE (code_hash, key_hash, user_id),
    FOREIGN KEY (code_hash, key_hash) REFERENCES redemption_codes (code_hash, key_hash)
  )`,
  `CREATE TABLE redemption_requests (
    user_id TEXT NOT NULL REFERENCES accounts (user_id),
    client_id TEXT NOT NULL REFERENCES applications (client_id),
    request_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id, request_hash)
  )`,
  `CREATE INDEX redemption_requests_at ON redemption_requests (at)`
]

const tasks = [
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
    expires_at BIGINT NOT NULL,
    grant_id TEXT REFERENCES grants (grant_id)
  )`,
  `CREATE INDEX tickets_task ON tickets (task_id, expires_at)`,
  `CREATE INDEX tickets_grant ON tickets (grant_id)`,
  `CREATE INDEX tickets_expiry ON tickets (expires_at)`
]

const sandbox = [
  `CREATE TABLE sandboxes (
    task_id TEXT PRIMARY KEY NOT NULL,
    prompt TEXT NOT NULL,
    held INTEGER NOT NULL,
    agent_session_id TEXT,
    agent_info TEXT,
    session_info TEXT,
    choices TEXT,
    posts_files INTEGER NOT NULL DEFAULT 0,
    failure TEXT,
    created_at BIGINT NOT NULL
  )`,
  `CREATE TABLE sandbox_journal (
    task_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at BIGINT NOT NULL,
    method TEXT NOT NULL,
    params TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  )`,
  `CREATE TABLE sandbox_turns (
    turn_id TEXT PRIMARY KEY NOT NULL,
    task_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    stop_reason TEXT
  )`,
  `CREATE INDEX sandbox_turns_task ON sandbox_turns (task_id, started_at)`,
  `CREATE TABLE sandbox_permissions (
    permission_id TEXT PRIMARY KEY NOT NULL,
    task_id TEXT NOT NULL,
    params TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    answered_at BIGINT,
    outcome TEXT
  )`,
  `CREATE INDEX sandbox_permissions_task ON sandbox_permissions (task_id, answered_at)`,
  `CREATE TABLE sandbox_artifacts (
    task_id TEXT NOT NULL,
    uri TEXT NOT NULL,
    type TEXT NOT NULL,
    event TEXT NOT NULL,
    artifact TEXT NOT NULL,
    md5 TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (task_id, uri)
  )`,
  `CREATE INDEX sandbox_artifacts_order ON sandbox_artifacts (task_id, created_at, uri)`,
  `CREATE INDEX sandbox_artifacts_count ON sandbox_artifacts (task_id, event, type, updated_at)`
]

const assistant = [
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
    request_id TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    client_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    assistant_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    answerable INTEGER NOT NULL,
    questions TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    PRIMARY KEY (user_id, about, request_id)
  )`,
  `CREATE INDEX assistant_questions_about ON assistant_questions (about, state)`,
  `CREATE INDEX assistant_questions_request ON assistant_questions (user_id, request_id)`,
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

/** Neither the credit ledger nor the audit log is ever changed. */
const appendOnly = [
  `CREATE TRIGGER credit_ledger_keeps BEFORE UPDATE ON credit_ledger
    BEGIN SELECT RAISE(ABORT, 'the credit ledger is only ever added to'); END`,
  `CREATE TRIGGER credit_ledger_stays BEFORE DELETE ON credit_ledger
    BEGIN SELECT RAISE(ABORT, 'the credit ledger is only ever added to'); END`,
  `CREATE TRIGGER audit_events_append_only BEFORE UPDATE ON audit_events
  BEGIN SELECT RAISE(ABORT, 'an audit event is never changed'); END`
]
