import * as Schema from "effect/Schema"
import { OpenId } from "./OpenId.ts"
import { model, optional, required, WireInt } from "./Wire.ts"

/** The minimum and maximum length of the redemption fields, in code points (part 8). */
export const lengthLimits = {
  code: [1, 64],
  giftKey: [6, 64],
  giftCode: [8, 64],
  requestId: [8, 64]
} as const

const text = ([minLength, maxLength]: readonly [number, number]) =>
  Schema.String.annotations({ jsonSchema: { type: "string", minLength, maxLength } })

/** Either a code, or a voucher with card number and card secret. */
const codeOrVoucher = {
  oneOf: [
    { required: ["code"], not: { anyOf: [{ required: ["gift_key"] }, { required: ["gift_code"] }] } },
    { required: ["gift_key", "gift_code"], not: { required: ["code"] } }
  ]
}

/**
 * The request for a redemption (contract 4.12): either `code`, or `giftKey` with `giftCode`. `requestId` is the caller's
 * idempotency key, not the request id of a response (contract decision 13). The decoder does not check {@link lengthLimits};
 * the service does, with a message.
 */
export class RedemptionRequest extends model<RedemptionRequest>("RedemptionRequest")(
  {
    code: optional(Schema.Redacted(text(lengthLimits.code)), "A redemption code; alone."),
    giftKey: optional(Schema.Redacted(text(lengthLimits.giftKey)), "A voucher's card number; with `gift_code`.").pipe(
      Schema.fromKey("gift_key")
    ),
    giftCode: optional(Schema.Redacted(text(lengthLimits.giftCode)), "A voucher's card secret; with `gift_key`.").pipe(
      Schema.fromKey("gift_code")
    ),
    requestId: required(
      "request_id",
      text(lengthLimits.requestId),
      "The caller's key for this redemption. A repeated request gets the same answer."
    )
  },
  { jsonSchema: { allOf: [codeOrVoucher] } }
) {}

/**
 * The result of a redemption (contract 2.10): `credits` issued to the user with this `openId`.
 */
export class Redemption extends model<Redemption>("Redemption")({
  status: Schema.String.annotations({ jsonSchema: { "x-extensible-enum": ["success"] } }) as Schema.Schema<
    "success" | (string & {}),
    string
  >,
  flowNo: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("flow_no")),
  credits: required(
    "credits",
    WireInt.annotations({ jsonSchema: { type: "integer", format: "int64" } }),
    "Credits issued by this redemption."
  ),
  openId: optional(OpenId, "The receiving user's id for this application.").pipe(Schema.fromKey("open_id"))
}) {}
