import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { v7 } from "uuid"
import { bounds, type Redemption, RedemptionRequest } from "./domain/Redemption.ts"
import { sanitize } from "./internal/ErrorBody.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import { type OpenApiError, Refusal } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

/** A field is missing, too short or too long for any service (part 8); nothing was sent. Lengths are in code points. */
export class InvalidRedemption extends Schema.TaggedError<InvalidRedemption>()("InvalidRedemption", {
  field: Schema.Literal("code", "giftKey", "giftCode", "idempotencyKey"),
  problem: Schema.Literal("missing", "too short", "too long"),
  least: Schema.Number,
  most: Schema.Number
}) {
  override get message(): string {
    return `The ${names[this.field]} is ${this.problem}: it has ${this.least} to ${this.most} characters. Nothing was sent; check it.`
  }
}

/** The service took the redemption, but its result is not there yet, or is a newer word (contract decision 93). */
export class RedemptionPending extends Schema.TaggedError<RedemptionPending>()("RedemptionPending", {
  status: Schema.String,
  flowNo: Schema.String,
  idempotencyKey: Schema.String
}) {
  override get message(): string {
    return `The service answered "${this.status}" (flow ${this.flowNo}): the credits are not issued yet. Look at the credits later, or ask again with the same idempotency key.`
  }
}

const traced = {
  idempotencyKey: Schema.String,
  /** The service's request id, where it sent one. */
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * The service has handled a request under this idempotency key before: this one, or another (contract decision 88).
 * It does not tell the result again.
 */
export class AlreadyHandled extends Schema.TaggedError<AlreadyHandled>()("AlreadyHandled", {
  ...traced,
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String
}) {
  override get message(): string {
    return `The service has handled a redemption under the idempotency key ${this.idempotencyKey} before, and does not tell its result again (${this.description.replace(/[.]$/, "")}). Look at the credits; redeem another code under another key.`
  }
}

/**
 * The service does not take the code, and an earlier try of this call, whose answer was lost, may be why: it may have
 * redeemed it. Another request gives no more information.
 */
export class RefusedAfterLostAnswer extends Schema.TaggedError<RefusedAfterLostAnswer>()("RefusedAfterLostAnswer", {
  ...traced,
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String
}) {
  override get message(): string {
    return `The service does not take the code (${this.description.replace(/[.]$/, "")}), but an earlier try of this call, whose answer was lost, may have redeemed it. Look at the credits.`
  }
}

/** The redemption may have been received: asking again with this `idempotencyKey` issues the credits at most once. */
export class RedemptionOutcomeUnknown extends Schema.TaggedError<RedemptionOutcomeUnknown>()(
  "RedemptionOutcomeUnknown",
  { ...traced, reason: Schema.String }
) {
  override get message(): string {
    return `It is not known whether the code was redeemed: ${this.reason}. Send it again with the idempotency key ${this.idempotencyKey}; the credits are issued at most once.`
  }
}

/**
 * Everything that a redemption can fail with. `InvalidGrant` and `NotFound` are final: the code is used up or unknown,
 * and no try of this call redeemed it; `RefusedAfterLostAnswer` is as final, but one may have. So is
 * `ContractViolation`: the code was redeemed, but the answer does not tell how.
 */
export type RedemptionError =
  | OpenApiError
  | InvalidRedemption
  | RedemptionPending
  | AlreadyHandled
  | RefusedAfterLostAnswer
  | RedemptionOutcomeUnknown

export interface RedeemOptions {
  /**
   * The document's `request_id`, 8–64 characters: the service redeems at most once under it. Without one the call
   * makes its own; hand one in, and store it first, to ask again after a restart.
   */
  readonly idempotencyKey?: string
}

/**
 * Redemption codes and vouchers (contract 4.12), redeemed for the user whose access token is in context; needs
 * `user.credit.exchange`.
 */
export class Redemptions extends Context.Tag("@heddle/core/Redemptions")<
  Redemptions,
  {
    /** Redeems a code of 1–64 characters. Lost answers and failures of the service are retried under the same key. */
    readonly redeem: (code: Redacted.Redacted, options?: RedeemOptions) => Effect.Effect<Redemption, RedemptionError>
    /**
     * Redeems a voucher: its card number `key` (6–64 characters) and its card secret `code` (8–64); like {@link
     * redeem}.
     */
    readonly redeemVoucher: (
      voucher: { readonly key: Redacted.Redacted; readonly code: Redacted.Redacted },
      options?: RedeemOptions
    ) => Effect.Effect<Redemption, RedemptionError>
  }
>() {}

/** A fresh idempotency key: a UUID of version 7. */
export const newIdempotencyKey: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (msecs) => v7({ msecs }))

export const layer: Layer.Layer<Redemptions, never, OpenApiClient> = Layer.effect(
  Redemptions,
  Effect.gen(function* () {
    const client = yield* OpenApiClient

    const send = (request: RedemptionRequest, given: boolean) =>
      Effect.gen(function* () {
        const maybeReceived = yield* Ref.make(false)
        const { requestId: idempotencyKey } = request
        const redemption = yield* client
          .call(Operation.redeem, (api) => watched(maybeReceived)(api.redemptions.redeem({ payload: request })))
          .pipe(
            Effect.catchAll((error) =>
              Effect.flatMap(Ref.get(maybeReceived), (unclear) => explain(error, { idempotencyKey, unclear, given }))
            )
          )
        if (redemption.status.toLowerCase() === "success") return redemption
        const status = sanitize(redemption.status, 60)
        return yield* new RedemptionPending({ status, flowNo: redemption.flowNo, idempotencyKey })
      })

    const redeem = Effect.fn("Redemptions.redeem")(function* (code: Redacted.Redacted, options?: RedeemOptions) {
      const requestId = yield* keyOf(options)
      const request = new RedemptionRequest({ code: yield* checked("code", code), requestId })
      return yield* send(request, options?.idempotencyKey !== undefined)
    })

    const redeemVoucher = Effect.fn("Redemptions.redeemVoucher")(function* (
      voucher: { readonly key: Redacted.Redacted; readonly code: Redacted.Redacted },
      options?: RedeemOptions
    ) {
      const requestId = yield* keyOf(options)
      const giftKey = yield* checked("giftKey", voucher.key)
      const giftCode = yield* checked("giftCode", voucher.code)
      return yield* send(new RedemptionRequest({ giftKey, giftCode, requestId }), options?.idempotencyKey !== undefined)
    })

    return Redemptions.of({ redeem, redeemVoucher })
  })
)

const names = {
  code: "redemption code",
  giftKey: "card number",
  giftCode: "card secret",
  idempotencyKey: "idempotency key"
} as const

const limits = { ...bounds, idempotencyKey: bounds.requestId }

const keyOf = (options: RedeemOptions | undefined): Effect.Effect<string, InvalidRedemption> =>
  options?.idempotencyKey === undefined
    ? newIdempotencyKey
    : Effect.as(inBounds("idempotencyKey", options.idempotencyKey), options.idempotencyKey)

/** The secret without the spaces around it that copying leaves (contract decision 92), where its length is allowed. */
const checked = (
  field: "code" | "giftKey" | "giftCode",
  secret: Redacted.Redacted
): Effect.Effect<Redacted.Redacted, InvalidRedemption> => {
  const text = Redacted.value(secret).trim()
  return Effect.as(inBounds(field, text), Redacted.make(text))
}

const inBounds = (field: InvalidRedemption["field"], text: string): Effect.Effect<void, InvalidRedemption> => {
  const [least, most] = limits[field]
  const length = [...text].length
  const problem = length === 0 ? "missing" : length < least ? "too short" : length > most ? "too long" : undefined
  return problem === undefined ? Effect.void : new InvalidRedemption({ field, problem, least, most })
}

/** Notes whether an attempt may have reached the service without a clear answer; an earlier one's note stays. */
const watched =
  (maybeReceived: Ref.Ref<boolean>) =>
  <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Ref.getAndSet(maybeReceived, true), (before) =>
      Effect.tapError(attempt, (error) => (isUnclear(error) ? Effect.void : Ref.set(maybeReceived, before)))
    )

/** Only a refusal, or a request that was never sent, says for sure that nothing was redeemed. */
const isUnclear = (error: { readonly _tag: string }): boolean =>
  !(error._tag === "Unreachable" || (isRefusal(error) && error.status < 500))

const isRefusal = Schema.is(Refusal)

const explain = (
  error: OpenApiError,
  call: { readonly idempotencyKey: string; readonly unclear: boolean; readonly given: boolean }
): Effect.Effect<never, OpenApiError | AlreadyHandled | RedemptionOutcomeUnknown | RefusedAfterLostAnswer> => {
  const requestId = "requestId" in error ? error.requestId : undefined
  const fields = { idempotencyKey: call.idempotencyKey, ...(requestId === undefined ? {} : { requestId }) }
  // A key that was handed in may have been sent before this call.
  if (error._tag === "Conflict" && (call.unclear || call.given)) {
    const { code, description, status } = error
    return new AlreadyHandled({ ...fields, status, code, description })
  }
  if (call.unclear && (error._tag === "InvalidGrant" || error._tag === "NotFound")) {
    const { code, description, status } = error
    return new RefusedAfterLostAnswer({ ...fields, status, code, description })
  }
  // An answer of success is one, whether or not it can be read: sending it again issues nothing.
  return call.unclear && error._tag !== "ContractViolation"
    ? new RedemptionOutcomeUnknown({ ...fields, reason: reasonOf(error) })
    : Effect.fail(error)
}

const reasonOf = (error: OpenApiError): string =>
  ("description" in error ? error.description : "reason" in error ? error.reason : error.message).replace(/\.$/, "")
