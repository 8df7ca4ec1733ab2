import { randomUUID } from "node:crypto"
import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import { int64 } from "../Int64.ts"
import type { BearerGuard } from "../oauth/BearerGuard.ts"
import type { Readings } from "../Readings.ts"
import type { Redemption } from "./Person.ts"
import type { Vouchers } from "./Vouchers.ts"

type Fields = Readonly<Record<string, unknown>>

/** Issues credits for a redemption code or a card (4.12). */
export const redemptionEndpoint = (vouchers: Vouchers, guard: BearerGuard, readings: () => Readings): Route => ({
  method: "POST",
  path: /^\/openapi\/v2\/redemptions$/,
  handle: (request) => {
    const person = guard(request, "user.credit.exchange")
    const fields = request.fields
    const requestId = text(fields, "request_id", 8, 64)
    const voucher = voucherOf(fields)
    const fingerprint = JSON.stringify(voucher)
    const earlier = person.redemptions.get(requestId)
    if (earlier !== undefined && (earlier.fingerprint !== fingerprint || readings().repeatedRedemption === "conflict"))
      throw Refusal.api(409, "invalid_request", "this request_id was already handled")
    const redemption: Redemption = earlier ?? {
      fingerprint,
      flowNo: randomUUID(),
      credits: vouchers.redeem(voucher.code, voucher.secret)
    }
    person.redemptions.set(requestId, redemption)
    return Reply.json(200, {
      status: "success",
      flow_no: redemption.flowNo,
      credits: int64(redemption.credits, readings().int64),
      open_id: person.openId
    })
  }
})

/** The two modes exclude each other. */
const voucherOf = (fields: Fields): { code: string; secret?: string } => {
  const single = fields["code"] !== undefined
  const dual = fields["gift_key"] !== undefined || fields["gift_code"] !== undefined
  if (single && dual) throw Refusal.invalid("either code, or gift_key and gift_code")
  if (single) return { code: text(fields, "code", 1, 64) }
  return { code: text(fields, "gift_key", 6, 64), secret: text(fields, "gift_code", 8, 64) }
}

const text = (fields: Fields, name: string, shortest: number, longest: number): string => {
  const value = fields[name]
  const length = typeof value === "string" ? [...value].length : -1
  if (typeof value !== "string" || length < shortest || length > longest)
    throw Refusal.invalid(`${name} must have ${shortest} to ${longest} characters`)
  return value
}
