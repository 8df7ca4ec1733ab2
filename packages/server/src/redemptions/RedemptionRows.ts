import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import type { Owner } from "../tasks/TaskStore.ts"
import type { CodeHash } from "./CodeHash.ts"

/** A redemption request: one per request id of an application and user. */
export interface RequestKey extends Owner {
  readonly requestHash: string
}

/** A stored final response: the body of a success, or the description of a refusal. */
export interface Result {
  readonly outcome: "success" | "invalid_grant" | "not_found"
  readonly answer: string
}

/** The rows of redemption requests, codes and redemptions. Times are epoch milliseconds. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isRequest = ({ clientId, requestHash, userId }: RequestKey) =>
    sql.and([sql`user_id = ${userId}`, sql`client_id = ${clientId}`, sql`request_hash = ${requestHash}`])
  const isCode = ({ codeHash, keyHash }: CodeHash) => sql`code_hash = ${codeHash} AND key_hash = ${keyHash}`
  const redemptionOf = (code: CodeHash, userId: string) =>
    sql`SELECT 1 FROM redemptions WHERE ${isCode(code)} AND user_id = ${userId}`

  /** Claims a request id for this request; false when it was claimed within the last 30 days. */
  const claim = Effect.fnUntraced(function* (key: RequestKey, bodyHash: string, now: number) {
    yield* sql`DELETE FROM redemption_requests WHERE at <= ${now - retentionMs}`
    const claimed = yield* sql`INSERT INTO redemption_requests ${sql.insert({
      user_id: key.userId,
      client_id: key.clientId,
      request_hash: key.requestHash,
      body_hash: bodyHash,
      outcome: "open",
      answer: "",
      at: now
    })} ON CONFLICT (user_id, client_id, request_hash) DO NOTHING RETURNING at`
    return claimed.length > 0
  })

  const request = (key: RequestKey) =>
    Effect.map(
      sql<Result & { readonly bodyHash: string }>`SELECT body_hash AS "bodyHash", outcome, answer
        FROM redemption_requests WHERE ${isRequest(key)}`,
      ([row]) => row
    )

  const complete = (key: RequestKey, { answer, outcome }: Result) =>
    sql`UPDATE redemption_requests SET outcome = ${outcome}, answer = ${answer} WHERE ${isRequest(key)}`

  /**
   * The times of the last refusals of a user, newest first. Times more than a minute ahead are from before the clock was
   * set back; the clock of another process may be a little ahead.
   */
  const refusals = (userId: string, since: number, now: number, limit: number) =>
    Effect.map(
      sql<{ at: number }>`SELECT at FROM redemption_requests
        WHERE user_id = ${userId} AND at > ${since} AND at <= ${now + 60_000} AND outcome IN ('invalid_grant', 'not_found')
        ORDER BY at DESC LIMIT ${limit}`,
      (rows) => rows.map(({ at }) => at)
    )

  /** Uses a code once and returns its credits; undefined if the user cannot redeem it. */
  const takeUse = (code: CodeHash, userId: string, now: number) =>
    Effect.map(
      sql<{ credits: number }>`UPDATE redemption_codes SET remaining = remaining - 1
        WHERE ${isCode(code)} AND remaining > 0 AND (expires_at IS NULL OR expires_at > ${now})
          AND NOT EXISTS (${redemptionOf(code, userId)})
        RETURNING credits`,
      ([row]) => row?.credits
    )

  const insertRedemption = (flowNo: string, code: CodeHash, owner: Owner, now: number) =>
    sql`INSERT INTO redemptions (flow_no, code_hash, key_hash, user_id, client_id, at)
      VALUES (${flowNo}, ${code.codeHash}, ${code.keyHash}, ${owner.userId}, ${owner.clientId}, ${now})`

  const code = (hash: CodeHash) =>
    Effect.map(
      sql<{ expiresAt: number | null }>`SELECT expires_at AS "expiresAt" FROM redemption_codes WHERE ${isCode(hash)}`,
      ([row]) => row
    )

  const isRedeemedBy = (hash: CodeHash, userId: string) =>
    Effect.map(redemptionOf(hash, userId), (rows) => rows.length > 0)

  return { claim, request, complete, refusals, takeUse, insertRedemption, code, isRedeemedBy }
})

const retentionMs = Duration.toMillis("30 days")
