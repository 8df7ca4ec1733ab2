import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Sandboxes, their journals, turns, permission requests and artifacts; `storage-schema.md` says what each column holds. */
export const sandbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})

const statements = [
  `CREATE TABLE sandboxes (
    task_id TEXT PRIMARY KEY NOT NULL,
    prompt TEXT NOT NULL,
    held INTEGER NOT NULL,
    agent_session_id TEXT,
    agent_info TEXT,
    session_info TEXT,
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
  `CREATE INDEX sandbox_turns_open ON sandbox_turns (ended_at)`,
  `CREATE TABLE sandbox_permissions (
    permission_id TEXT PRIMARY KEY NOT NULL,
    task_id TEXT NOT NULL,
    params TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    answered_at BIGINT,
    outcome TEXT
  )`,
  `CREATE INDEX sandbox_permissions_open ON sandbox_permissions (answered_at)`,
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
  `CREATE INDEX sandbox_artifacts_order ON sandbox_artifacts (task_id, created_at, uri)`
]
