import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Device codes, the audit log and public applications; `storage-schema.md` says what each column holds. */
export const authorization = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* sql.onDialectOrElse({ sqlite: () => sql.unsafe(appendOnly), orElse: () => Effect.void })
})

const statements = [
  `ALTER TABLE applications ADD COLUMN public INTEGER NOT NULL DEFAULT 0`,
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
  `CREATE INDEX device_codes_expiry ON device_codes (expires_at)`,
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
  `CREATE INDEX audit_events_client ON audit_events (client_id, event_id)`,
  `CREATE INDEX grants_owner ON grants (client_id, user_id)`,
  `CREATE INDEX authorization_codes_grant ON authorization_codes (grant_id)`,
  `CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at)`,
  `CREATE INDEX access_tokens_grant ON access_tokens (grant_id)`,
  `CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id)`,
  `CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at)`,
  `CREATE INDEX sign_ins_expiry ON sign_ins (expires_at)`
]

const appendOnly = `CREATE TRIGGER audit_events_append_only BEFORE UPDATE ON audit_events
  BEGIN SELECT RAISE(ABORT, 'an audit event is never changed'); END`
