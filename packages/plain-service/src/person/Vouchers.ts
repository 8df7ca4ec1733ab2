import { Refusal } from "../http/Refusal.ts"

/** A redemption code, or a card when it has a secret (4.12). */
export interface Voucher {
  /** The code, or the card's number. */
  readonly code: string
  readonly secret?: string
  readonly credits: number
  /** How many redemptions it allows: 1 when omitted, 0 for one that is exhausted. */
  readonly uses?: number
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

/** The codes and cards that exist. */
export class Vouchers {
  readonly #vouchers = new Map<string, { readonly voucher: Voucher; left: number }>()

  add(voucher: Voucher): void {
    this.#vouchers.set(keyOf(voucher.code, voucher.secret), { voucher, left: voucher.uses ?? 1 })
  }

  /** Uses a voucher up and gives its credits; invalid_grant is final (7.1). */
  redeem(code: string, secret: string | undefined): number {
    const entry = this.#vouchers.get(keyOf(code, secret))
    if (entry === undefined) throw Refusal.api(404, "not_found", "no such redemption code")
    const { voucher } = entry
    if (voucher.secret !== secret) throw Refusal.api(400, "invalid_grant", "the card's secret does not match")
    if (entry.left < 1) throw Refusal.api(400, "invalid_grant", "the redemption code is used or exhausted")
    if (voucher.expiresAt !== undefined && voucher.expiresAt <= Date.now())
      throw Refusal.api(400, "invalid_grant", "the redemption code is expired")
    entry.left -= 1
    return voucher.credits
  }
}

/** A code and a card may have the same characters. */
const keyOf = (code: string, secret: string | undefined): string => `${secret === undefined ? "code" : "card"} ${code}`
