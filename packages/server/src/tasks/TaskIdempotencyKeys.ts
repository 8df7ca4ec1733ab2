import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { IdempotencyKey } from "../internal/IdempotencyHeader.ts"
import type { Owner } from "./TaskStore.ts"

/** The idempotency keys of created tasks, kept for 24 hours. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Claims a key for a task; returns the task that claimed it before, if any. */
  const claim = Effect.fnUntraced(function* (owner: Owner, key: IdempotencyKey, taskId: TaskId) {
    const { bodyHash, keyHash } = key
    const now = yield* Clock.currentTimeMillis
    yield* sql`DELETE FROM task_requests WHERE expires_at <= ${now}`
    const claimed = yield* sql`INSERT INTO task_requests (client_id, user_id, key_hash, body_hash, task_id, expires_at)
      VALUES (${owner.clientId}, ${owner.userId}, ${keyHash}, ${bodyHash}, ${taskId}, ${now + Duration.toMillis("24 hours")})
      ON CONFLICT (client_id, user_id, key_hash) DO NOTHING RETURNING task_id`
    if (claimed.length > 0) return undefined
    const rows = yield* sql<{ taskId: TaskId; bodyHash: string }>`
      SELECT task_id AS "taskId", body_hash AS "bodyHash" FROM task_requests
      WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash = ${keyHash}`
    return rows[0] === undefined ? undefined : { taskId: rows[0].taskId, hasSameBody: rows[0].bodyHash === bodyHash }
  })

  return { claim }
})
