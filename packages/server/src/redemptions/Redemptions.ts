import * as SqlClient from "@effect/sql/SqlClient"
import { Redemption, type RedemptionRequest } from "@heddle/core/domain/Redemption"
import { InvalidGrant, NotFound, type Conflict, type InvalidRequest, type RateLimited } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Credits } from "../credits/Credits.ts"
import * as CodeHash from "./CodeHash.ts"
import * as ReadableCode from "./ReadableCode.ts"
import * as RedemptionForm from "./RedemptionForm.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import * as UserLock from "../sql/UserLock.ts"
import { OpenIds } from "../accounts/OpenIds.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** A redemption as JSON text: sent as it is, so that a repeat gets the same bytes. */
export type Answer = string

/** Turns codes and vouchers into credits (4.12). */
export class Redemptions extends Context.Tag("@heddle/server/redemptions/Redemptions")<
  Redemptions,
  {
    /**
     * Redeems, once per request id of the application and user within 30 days: the same request gets the first answer
     * again, a refusal too, and another request under the same id a conflict (decisions 88–96). Five refusals of a
     * user within ten minutes, in whichever application, end in `RateLimited`, about which nothing is remembered.
     */
    readonly redeem: (
      owner: Owner,
      request: RedemptionRequest
    ) => Effect.Effect<Answer, InvalidRequest | InvalidGrant | NotFound | Conflict | RateLimited>
  }
>() {}

export const layer: Layer.Layer<Redemptions, never, SqlClient.SqlClient | Credits | OpenIds | ServerConfig> =
  Layer.effect(
    Redemptions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const credits = yield* Credits
      const openIds = yield* OpenIds
      const { contract } = yield* ServerConfig

      /** The stored answer to a request that came before. */
      const repeated = Effect.fnUntraced(function* (bodyHash: string, key: RequestKey) {
        const rows = yield* sql<Stored>`SELECT body_hash AS "bodyHash", outcome, answer FROM redemption_requests
          WHERE ${sql.and(columnsOf(sql, key))}`
        const [stored] = rows
        if (stored === undefined) return yield* Effect.dieMessage("a redemption request is neither new nor old")
        if (contract.duplicateRedemption === "conflict") {
          return yield* ApiError.conflict("This request_id was handled already. Nothing was redeemed by this request.")
        }
        return stored.bodyHash === bodyHash
          ? { outcome: stored.outcome, answer: stored.answer }
          : yield* ApiError.conflict(
              "This request_id was used for another code. Nothing was redeemed by this request; use a new request_id."
            )
      })

      /** Refuses users who guess. The lock of the user makes their parallel tries wait for each other. */
      const notGuessing = Effect.fnUntraced(function* (userId: string, now: number) {
        const refusals = yield* sql<{ at: number }>`SELECT at FROM redemption_requests
          WHERE user_id = ${userId} AND at > ${now - window} AND outcome IN ('invalid_grant', 'not_found')
          ORDER BY at DESC LIMIT ${tries}`
        const oldest = refusals[tries - 1]
        if (oldest === undefined) return
        const seconds = Math.max(1, Math.ceil((oldest.at + window - now) / 1000))
        return yield* ApiError.rateLimited(
          "Too many codes could not be redeemed. Nothing was redeemed by this request.",
          seconds
        )
      })

      const attempt = Effect.fnUntraced(function* (
        owner: Owner,
        { codeHash, keyHash }: CodeHash.CodeHash,
        now: number
      ) {
        const mine = sql`SELECT 1 FROM redemptions
          WHERE code_hash = ${codeHash} AND key_hash = ${keyHash} AND user_id = ${owner.userId}`
        const taken = yield* sql<{ credits: number }>`UPDATE redemption_codes SET remaining = remaining - 1
          WHERE code_hash = ${codeHash} AND key_hash = ${keyHash} AND remaining > 0
            AND (expires_at IS NULL OR expires_at > ${now}) AND NOT EXISTS (${mine})
          RETURNING credits`
        if (taken[0] !== undefined) {
          const flowNo = ReadableCode.generate(3)
          yield* sql`INSERT INTO redemptions (flow_no, code_hash, key_hash, user_id, client_id, at)
            VALUES (${flowNo}, ${codeHash}, ${keyHash}, ${owner.userId}, ${owner.clientId}, ${now})`
          yield* credits.give({
            userId: owner.userId,
            size: taken[0].credits,
            source: "redemption",
            reference: flowNo
          })
          const openId = openIds.of(owner.clientId, owner.userId)
          return success(new Redemption({ status: "success", flowNo, credits: taken[0].credits, openId }))
        }
        const rows = yield* sql<{ expiresAt: number | null }>`SELECT expires_at AS "expiresAt" FROM redemption_codes
          WHERE code_hash = ${codeHash} AND key_hash = ${keyHash}`
        if (rows[0] === undefined) return contract.hideUnknownCodes ? usedUp : unknown
        if ((yield* mine).length > 0) return usedByYou
        const { expiresAt } = rows[0]
        return expiresAt !== null && expiresAt <= now ? expired : usedUp
      })

      return {
        redeem: Effect.fn("Redemptions.redeem")(function* (owner, request) {
          const { presented, requestId } = yield* RedemptionForm.check(request)
          const hashes = CodeHash.of(presented, contract.codeCase)
          const bodyHash = Secret.hash(JSON.stringify(hashes))
          const key = { ...owner, requestHash: Secret.hash(requestId) }
          const now = yield* Clock.currentTimeMillis

          const { answer, outcome } = yield* Effect.gen(function* () {
            yield* UserLock.take(sql, owner.userId)
            yield* sql`DELETE FROM redemption_requests WHERE at <= ${now - retention}`
            const claimed = yield* sql`INSERT INTO redemption_requests ${sql.insert({
              user_id: owner.userId,
              client_id: owner.clientId,
              request_hash: key.requestHash,
              body_hash: bodyHash,
              outcome: "open",
              answer: "",
              at: now
            })} ON CONFLICT (user_id, client_id, request_hash) DO NOTHING RETURNING at`
            if (claimed.length === 0) return yield* repeated(bodyHash, key)
            yield* notGuessing(owner.userId, now)
            const result = yield* attempt(owner, hashes, now)
            yield* sql`UPDATE redemption_requests SET outcome = ${result.outcome}, answer = ${result.answer}
              WHERE ${sql.and(columnsOf(sql, key))}`
            return result
            // A refusal that is thrown takes the claim back with it: only final answers are remembered.
          }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))

          switch (outcome) {
            case "success":
              return answer
            case "invalid_grant":
              return yield* ApiError.invalidGrant(answer)
            case "not_found":
              return yield* ApiError.notFound(answer)
          }
        })
      }
    })
  )

interface RequestKey extends Owner {
  readonly requestHash: string
}

/** A final answer as it is stored: the body of a success, the description of a refusal. */
interface Result {
  readonly outcome: "success" | "invalid_grant" | "not_found"
  readonly answer: string
}

interface Stored extends Result {
  readonly bodyHash: string
}

const columnsOf = (sql: SqlClient.SqlClient, { clientId, requestHash, userId }: RequestKey) => [
  sql`user_id = ${userId}`,
  sql`client_id = ${clientId}`,
  sql`request_hash = ${requestHash}`
]

const encode = Schema.encodeSync(Schema.parseJson(Redemption))
const success = (redemption: Redemption): Result => ({ outcome: "success", answer: encode(redemption) })

const unknown: Result = {
  outcome: "not_found",
  answer: "There is no such redemption code or voucher. Nothing was credited."
}
const usedByYou: Result = {
  outcome: "invalid_grant",
  answer: "You have redeemed this already; nothing was credited again."
}
const expired: Result = {
  outcome: "invalid_grant",
  answer: "This can no longer be redeemed: it has expired. Nothing was credited."
}
const usedUp: Result = {
  outcome: "invalid_grant",
  answer: "This has been redeemed as often as it can be. Nothing was credited."
}

const tries = 5
const window = Duration.toMillis("10 minutes")
const retention = Duration.toMillis("30 days")
