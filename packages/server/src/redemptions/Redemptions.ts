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
import type { Result } from "./RedemptionRows.ts"
import * as RedemptionRows from "./RedemptionRows.ts"
import * as ReadableCode from "./ReadableCode.ts"
import * as RedemptionForm from "./RedemptionForm.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import * as UserLock from "../sql/UserLock.ts"
import { OpenIds } from "../accounts/OpenIds.ts"
import type { ContractOptions } from "../config/ContractOptions.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** A redemption as JSON text, sent unchanged, so that a repeated request gets the same bytes. */
export type Answer = string

/** Turns codes and vouchers into credits (contract 4.12). */
export class Redemptions extends Context.Tag("@heddle/server/redemptions/Redemptions")<
  Redemptions,
  {
    /**
     * Redeems once per request id of the application and user within 30 days. The same request gets the first response
     * again, also a refusal; another request with the same id gets `Conflict` (contract decisions 88–96). Five
     * refusals of a user within ten minutes, in any application, end in `RateLimited`, which is not stored.
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
      const rows = yield* RedemptionRows.make
      const redeemCode = yield* makeRedeemCode(rows)
      const { contract } = yield* ServerConfig

      return {
        redeem: Effect.fn("Redemptions.redeem")(function* (owner, request) {
          const { presented, requestId } = yield* RedemptionForm.check(request)
          const code = CodeHash.of(presented, contract.codeCase)
          const bodyHash = Secret.hash(JSON.stringify(code))
          const key = { ...owner, requestHash: Secret.hash(requestId) }
          const now = yield* Clock.currentTimeMillis

          const { answer, outcome } = yield* Effect.gen(function* () {
            yield* UserLock.take(sql, owner.userId)
            if (!(yield* rows.claim(key, bodyHash, now))) {
              const stored = yield* rows.request(key)
              if (stored === undefined) return yield* Effect.dieMessage("a redemption request is neither new nor old")
              return yield* repeatResult(stored, bodyHash, contract)
            }
            yield* refuseGuessing(yield* rows.refusals(owner.userId, now - refusalWindowMs, now, maxRefusals), now)
            const result = yield* redeemCode(owner, code, now)
            yield* rows.complete(key, result)
            return result
            // A failure also rolls back the claim: only final responses are stored.
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

/** Redeems a code for a user, or finds out why it cannot be redeemed. */
const makeRedeemCode = Effect.fnUntraced(function* (rows: Effect.Effect.Success<typeof RedemptionRows.make>) {
  const credits = yield* Credits
  const openIds = yield* OpenIds
  const { contract } = yield* ServerConfig

  return Effect.fnUntraced(function* (owner: Owner, code: CodeHash.CodeHash, now: number) {
    const { clientId, userId } = owner
    const size = yield* rows.takeUse(code, userId, now)
    if (size !== undefined) {
      const flowNo = ReadableCode.generate(3)
      yield* rows.insertRedemption(flowNo, code, owner, now)
      yield* credits.addPack({ userId, size, source: "redemption", reference: flowNo })
      const openId = openIds.of(clientId, userId)
      return success(new Redemption({ status: "success", flowNo, credits: size, openId }))
    }
    const row = yield* rows.code(code)
    if (row === undefined) return contract.hideUnknownCodes ? usedUp : unknownCode
    if (yield* rows.isRedeemedBy(code, userId)) return usedByYou
    return row.expiresAt !== null && row.expiresAt <= now ? expired : usedUp
  })
})

/** The stored response of an earlier request; a conflict if it was another request with the same id. */
const repeatResult = (
  stored: Result & { readonly bodyHash: string },
  bodyHash: string,
  contract: ContractOptions
): Effect.Effect<Result, Conflict> => {
  if (contract.duplicateRedemption === "conflict") {
    return Effect.fail(ApiError.conflict("This request_id was handled already. Nothing was redeemed by this request."))
  }
  return stored.bodyHash === bodyHash
    ? Effect.succeed(stored)
    : Effect.fail(
        ApiError.conflict(
          "This request_id was used for another code. Nothing was redeemed by this request; use a new request_id."
        )
      )
}

/** Refuses users who guess. The lock of the user makes their parallel requests wait for each other. */
const refuseGuessing = (refusals: ReadonlyArray<number>, now: number): Effect.Effect<void, RateLimited> => {
  const oldest = refusals[maxRefusals - 1]
  if (oldest === undefined) return Effect.void
  const seconds = Math.max(1, Math.ceil((oldest + refusalWindowMs - now) / 1000))
  return Effect.fail(
    ApiError.rateLimited("Too many codes could not be redeemed. Nothing was redeemed by this request.", seconds)
  )
}

const encode = Schema.encodeSync(Schema.parseJson(Redemption))
const success = (redemption: Redemption): Result => ({ outcome: "success", answer: encode(redemption) })

const refusalResult = (outcome: Result["outcome"], answer: string): Result => ({ outcome, answer })

const unknownCode = refusalResult("not_found", "There is no such redemption code or voucher. Nothing was credited.")
const usedByYou = refusalResult("invalid_grant", "You have redeemed this already; nothing was credited again.")
const expired = refusalResult("invalid_grant", "This can no longer be redeemed: it has expired. Nothing was credited.")
const usedUp = refusalResult("invalid_grant", "This has been redeemed as often as it can be. Nothing was credited.")

const maxRefusals = 5
const refusalWindowMs = Duration.toMillis("10 minutes")
