import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The ledger of credits, redemption codes and redemptions; `storage-schema.md` says what each column holds. */
export const creditsAndRedemptions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const appendOnly = sql.onDialectOrElse({ sqlite: () => triggers, orElse: () => [] })
  for (const statement of [...statements, ...appendOnly]) yield* sql.unsafe(statement)
})

const statements = [
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
  `CREATE INDEX credit_ledger_pack ON credit_ledger (pack_id, kind, amount)`,
  // What packs held and gave before there was a ledger becomes its first lines.
  `INSERT INTO credit_ledger (kind, reference, line, pack_id, user_id, amount, at)
    SELECT 'issued', pack_id, 0, pack_id, user_id, size, created_at FROM credit_packs WHERE size > 0`,
  `INSERT INTO credit_ledger (kind, reference, line, pack_id, user_id, amount, at)
    SELECT 'used', pack_id, 0, pack_id, user_id, used, created_at FROM credit_packs WHERE used > 0`,
  `ALTER TABLE credit_packs ADD COLUMN source TEXT NOT NULL DEFAULT 'initial'`,
  `ALTER TABLE credit_packs ADD COLUMN expires_at BIGINT`,
  `UPDATE credit_packs SET expires_at = created_at WHERE status NOT IN ('valid', 'used_up')`,
  `ALTER TABLE credit_packs DROP COLUMN used`,
  `ALTER TABLE credit_packs DROP COLUMN status`,
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

const triggers = [
  `CREATE TRIGGER credit_ledger_keeps BEFORE UPDATE ON credit_ledger
    BEGIN SELECT RAISE(ABORT, 'the credit ledger is only ever added to'); END`,
  `CREATE TRIGGER credit_ledger_stays BEFORE DELETE ON credit_ledger
    BEGIN SELECT RAISE(ABORT, 'the credit ledger is only ever added to'); END`
]
