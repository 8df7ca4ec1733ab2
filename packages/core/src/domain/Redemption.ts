import * as Schema from "effect/Schema"
import { OpenId } from "./OpenId.ts"
import { optional, WireInt } from "./Wire.ts"

/** The bounds of the redemption fields, in code points (part 8). */
export const bounds = {
  code: [1, 64],
  giftKey: [6, 64],
  giftCode: [8, 64],
  requestId: [8, 64]
} as const

const text = ([minLength, maxLength]: readonly [number, number]) =>
  Schema.String.annotations({ jsonSchema: { type: "string", minLength, maxLength } })

/**
 * The request for a redemption (contract 4.12): either `code`, or `giftKey` with `giftCode`. `requestId` is the caller's
 * idempotency key, not the request id of a response (contract decision 13). The decoder does not check {@link bounds};
 * the service does, in words.
 */
export class RedemptionRequest extends Schema.Class<RedemptionRequest>("@heddle/core/RedemptionRequest")({
  code: optional(Schema.Redacted(text(bounds.code))),
  giftKey: optional(Schema.Redacted(text(bounds.giftKey))).pipe(Schema.fromKey("gift_key")),
  giftCode: optional(Schema.Redacted(text(bounds.giftCode))).pipe(Schema.fromKey("gift_code")),
  requestId: Schema.propertySignature(text(bounds.requestId)).pipe(Schema.fromKey("request_id"))
}) {}

/**
 * What a redemption gave (contract 2.10): `credits` issued now, to the user that this application knows as `openId`.
 */
export class Redemption extends Schema.Class<Redemption>("@heddle/core/Redemption")({
  status: Schema.String as Schema.Schema<"success" | (string & {}), string>,
  flowNo: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("flow_no")),
  credits: WireInt,
  openId: optional(OpenId).pipe(Schema.fromKey("open_id"))
}) {}
