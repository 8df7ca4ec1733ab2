import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ApiError from "../internal/ApiError.ts"
import type { IdempotencyKey } from "../internal/IdempotencyHeader.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** The idempotency keys of sent messages, kept for 24 hours. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** The message that this key sent before; a conflict if the body differs. */
  const find = Effect.fnUntraced(function* (owner: Owner, key: IdempotencyKey) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<{ messageId: string; bodyHash: string }>`
      SELECT message_id AS "messageId", body_hash AS "bodyHash" FROM assistant_requests
      WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash = ${key.keyHash}
        AND expires_at > ${now}`.pipe(Effect.orDie)
    if (rows[0] === undefined) return undefined
    if (rows[0].bodyHash === key.bodyHash) return rows[0].messageId
    return yield* ApiError.conflict("This Idempotency-Key was used with another message. Use a new key.")
  })

  const insert = Effect.fnUntraced(function* (owner: Owner, key: IdempotencyKey, messageId: string) {
    const now = yield* Clock.currentTimeMillis
    yield* sql`DELETE FROM assistant_requests WHERE expires_at <= ${now}`
    yield* sql`INSERT INTO assistant_requests (client_id, user_id, key_hash, body_hash, message_id, expires_at)
      VALUES (${owner.clientId}, ${owner.userId}, ${key.keyHash}, ${key.bodyHash}, ${messageId},
        ${now + Duration.toMillis("24 hours")})`
  }, Effect.orDie)

  return { find, insert }
})
