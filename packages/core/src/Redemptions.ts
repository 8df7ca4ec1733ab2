import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { v7 } from "uuid"
import { lengthLimits as requestLimits, type Redemption, RedemptionRequest } from "./domain/Redemption.ts"
import { sanitize } from "./internal/ErrorBody.ts"
import * as Span from "./internal/Span.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import { type OpenApiError, Refusal } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

/** A field is missing, too short or too long for any service (part 8); nothing was sent. Lengths are in code points. */
export class InvalidRedemption extends Schema.TaggedError<InvalidRedemption>()("InvalidRedemption", {
  field: Schema.Literal("code", "giftKey", "giftCode", "idempotencyKey"),
  problem: Schema.Literal("missing", "too short", "too long"),
  minLength: Schema.Number,
  maxLength: Schema.Number
}) {
  override get message(): string {
    return `The ${fieldNames[this.field]} is ${this.problem}: it has ${this.minLength} to ${this.maxLength} characters. Nothing was sent; check it.`
  }
}

/** The service accepted the redemption, but its status is not yet `success`, or is a new one (contract decision 93). */
export class RedemptionPending extends Schema.TaggedError<RedemptionPending>()("RedemptionPending", {
  status: Schema.String,
  flowNo: Schema.String,
  idempotencyKey: Schema.String
}) {
  override get message(): string {
    return `The service answered "${this.status}" (reference ${this.flowNo}): the credits are not issued yet. Look at the credits later, or ask again with the same idempotency key.`
  }
}

const requestFields = {
  idempotencyKey: Schema.String,
  /** The service's request id, where it sent one. */
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * The service has handled a request under this idempotency key before: this one, or another (contract decision 88).
 * It does not return the result again.
 */
export class AlreadyHandled extends Schema.TaggedError<AlreadyHandled>()("AlreadyHandled", {
  ...requestFields,
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String
}) {
  override get message(): string {
    return `The service has handled a redemption under the idempotency key ${this.idempotencyKey} before, and does not tell its result again (${this.description.replace(/[.]$/, "")}). Look at the credits; redeem another code under another key.`
  }
}

/**
 * The service refused the code, perhaps because an earlier try of this call, whose answer was lost, redeemed it. Another
 * request gives no more information.
 */
export class RefusedAfterLostAnswer extends Schema.TaggedError<RefusedAfterLostAnswer>()("RefusedAfterLostAnswer", {
  ...requestFields,
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String
}) {
  override get message(): string {
    return `The service does not take the code (${this.description.replace(/[.]$/, "")}), but an earlier try of this call, whose answer was lost, may have redeemed it. Look at the credits.`
  }
}

/**
 * The redemption may have been received: asking again with this `idempotencyKey` issues the credits at most once.
 * `retryAfter`: the service asked to wait, in seconds.
 */
export class RedemptionOutcomeUnknown extends Schema.TaggedError<RedemptionOutcomeUnknown>()(
  "RedemptionOutcomeUnknown",
  { ...requestFields, reason: Schema.String, retryAfter: Schema.optional(Schema.Number) }
) {
  override get message(): string {
    return `It is not known whether the code was redeemed: ${this.reason}. Send it again with the idempotency key ${this.idempotencyKey}; the credits are issued at most once.`
  }
}

/**
 * Every error of a redemption. `InvalidGrant` and `NotFound` are final: the code is used up or unknown, and no try of
 * this call redeemed it. `RefusedAfterLostAnswer` is final too, but an earlier try may have redeemed it.
 * `ContractViolation` is final: the code was redeemed, but the response is invalid.
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
   * makes its own. To repeat the request after a restart, store a key first and pass it.
   */
  readonly idempotencyKey?: string
}

/**
 * Redemption codes and vouchers (contract 4.12), redeemed for the user of the access token; needs
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

/** Makes an idempotency key: a UUID of version 7. */
export const newIdempotencyKey: Effect.Effect<string> = /* @__PURE__ */ Effect.map(Clock.currentTimeMillis, (msecs) =>
  v7({ msecs })
)

export const layer: Layer.Layer<Redemptions, never, OpenApiClient> = /* @__PURE__ */ Layer.suspend(() =>
  Layer.effect(Redemptions, Effect.map(OpenApiClient, make))
)

/** The service over a client. */
export const make = (client: Context.Tag.Service<OpenApiClient>): Context.Tag.Service<Redemptions> => {
  const send = (request: RedemptionRequest, options: { readonly isCallersKey: boolean }) =>
    Effect.gen(function* () {
      const maybeReceived = yield* Ref.make(false)
      const { requestId: idempotencyKey } = request
      const redemption = yield* client
        .call(Operation.redeem, (api) => trackReceipt(maybeReceived)(api.redemptions.redeem({ payload: request })))
        .pipe(
          Effect.catchAll((error) =>
            Effect.flatMap(Ref.get(maybeReceived), (received) =>
              explainError(error, { idempotencyKey, mayHaveBeenReceived: received, ...options })
            )
          )
        )
      if (redemption.status.toLowerCase() === "success") return redemption
      const status = sanitize(redemption.status, 60)
      return yield* new RedemptionPending({ status, flowNo: redemption.flowNo, idempotencyKey })
    })

  const redeem = Span.fn(
    "Redemptions.redeem",
    Effect.fnUntraced(function* (code: Redacted.Redacted, options?: RedeemOptions) {
      const requestId = yield* idempotencyKeyFor(options)
      const request = new RedemptionRequest({ code: yield* trimAndCheck("code", code), requestId })
      return yield* send(request, { isCallersKey: options?.idempotencyKey !== undefined })
    })
  )

  const redeemVoucher = Span.fn(
    "Redemptions.redeemVoucher",
    Effect.fnUntraced(function* (
      voucher: { readonly key: Redacted.Redacted; readonly code: Redacted.Redacted },
      options?: RedeemOptions
    ) {
      const requestId = yield* idempotencyKeyFor(options)
      const giftKey = yield* trimAndCheck("giftKey", voucher.key)
      const giftCode = yield* trimAndCheck("giftCode", voucher.code)
      const request = new RedemptionRequest({ giftKey, giftCode, requestId })
      return yield* send(request, { isCallersKey: options?.idempotencyKey !== undefined })
    })
  )

  return { redeem, redeemVoucher }
}

const fieldNames = {
  code: "redemption code",
  giftKey: "card number",
  giftCode: "card secret",
  idempotencyKey: "idempotency key"
} as const

const lengthLimits = { ...requestLimits, idempotencyKey: requestLimits.requestId }

const idempotencyKeyFor = (options: RedeemOptions | undefined): Effect.Effect<string, InvalidRedemption> =>
  options?.idempotencyKey === undefined
    ? newIdempotencyKey
    : Effect.as(checkLength("idempotencyKey", options.idempotencyKey), options.idempotencyKey)

/** Trims the spaces that copying leaves around a secret (contract decision 92) and checks its length. */
const trimAndCheck = (
  field: "code" | "giftKey" | "giftCode",
  secret: Redacted.Redacted
): Effect.Effect<Redacted.Redacted, InvalidRedemption> => {
  const text = Redacted.value(secret).trim()
  return Effect.as(checkLength(field, text), Redacted.make(text))
}

const checkLength = (field: InvalidRedemption["field"], text: string): Effect.Effect<void, InvalidRedemption> => {
  const [minLength, maxLength] = lengthLimits[field]
  const length = [...text].length
  const problem =
    length === 0 ? "missing" : length < minLength ? "too short" : length > maxLength ? "too long" : undefined
  return problem === undefined ? Effect.void : new InvalidRedemption({ field, problem, minLength, maxLength })
}

/** Sets `maybeReceived` if the service may have received an attempt without a clear answer; keeps it if set earlier. */
const trackReceipt =
  (maybeReceived: Ref.Ref<boolean>) =>
  <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Ref.getAndSet(maybeReceived, true), (receivedEarlier) =>
      Effect.tapError(attempt, (error) => (leavesDoubt(error) ? Effect.void : Ref.set(maybeReceived, receivedEarlier)))
    )

/** Only a refusal, or a request that was never sent, proves that the code was not redeemed. */
const leavesDoubt = (error: { readonly _tag: string }): boolean =>
  !(error._tag === "Unreachable" || (isRefusal(error) && error.status < 500))

const isRefusal = Schema.is(Refusal)

const explainError = (
  error: OpenApiError,
  call: { readonly idempotencyKey: string; readonly mayHaveBeenReceived: boolean; readonly isCallersKey: boolean }
): Effect.Effect<never, OpenApiError | AlreadyHandled | RedemptionOutcomeUnknown | RefusedAfterLostAnswer> => {
  const requestId = "requestId" in error ? error.requestId : undefined
  const fields = { idempotencyKey: call.idempotencyKey, ...(requestId === undefined ? {} : { requestId }) }
  // The caller may have sent a request with its own key before this call.
  if (error._tag === "Conflict" && (call.mayHaveBeenReceived || call.isCallersKey)) {
    const { code, description, status } = error
    return new AlreadyHandled({ ...fields, status, code, description })
  }
  if (call.mayHaveBeenReceived && (error._tag === "InvalidGrant" || error._tag === "NotFound")) {
    const { code, description, status } = error
    return new RefusedAfterLostAnswer({ ...fields, status, code, description })
  }
  // A success with an invalid body is still a success: sending it again issues no credits.
  return call.mayHaveBeenReceived && error._tag !== "ContractViolation"
    ? new RedemptionOutcomeUnknown({
        ...fields,
        reason: reasonOf(error),
        ...("retryAfter" in error ? { retryAfter: error.retryAfter } : {})
      })
    : Effect.fail(error)
}

const reasonOf = (error: OpenApiError): string =>
  ("description" in error ? error.description : "reason" in error ? error.reason : error.message).replace(/\.$/, "")
