import * as Redacted from "effect/Redacted"
import type { ContractOptions } from "../config/ContractOptions.ts"
import * as Secret from "../internal/Secret.ts"

/** What a user redeems: a code, or the number and the secret of a voucher. */
export type Presented =
  | { readonly code: Redacted.Redacted }
  | { readonly giftKey: Redacted.Redacted; readonly giftCode: Redacted.Redacted }

/** How codes and vouchers are stored and looked up. */
export interface CodeHash {
  readonly codeHash: string
  /** Empty for a code without a card number. */
  readonly keyHash: string
}

/**
 * Hashes a code or voucher; generated ones are in capitals, so that an insensitive service only has to raise the case.
 */
export const of = (presented: Presented, codeCase: ContractOptions["codeCase"]): CodeHash => {
  const hash = (secret: Redacted.Redacted) => {
    const text = Redacted.value(secret)
    return Secret.hash(codeCase === "insensitive" ? text.toUpperCase() : text)
  }
  return "code" in presented
    ? { codeHash: hash(presented.code), keyHash: "" }
    : { codeHash: hash(presented.giftCode), keyHash: hash(presented.giftKey) }
}
