import * as Redacted from "effect/Redacted"
import type { ContractOptions } from "../config/ContractOptions.ts"
import * as ReadableCode from "./ReadableCode.ts"
import * as Secret from "../internal/Secret.ts"

/** A redemption code, or the number and secret of a voucher. */
export type PresentedCode =
  | { readonly code: Redacted.Redacted }
  | { readonly giftKey: Redacted.Redacted; readonly giftCode: Redacted.Redacted }

/** How codes and vouchers are stored and looked up. */
export interface CodeHash {
  readonly codeHash: string
  /** Empty for a code without a card number. */
  readonly keyHash: string
}

/** Hashes a code or voucher. */
export const of = (presented: PresentedCode, codeCase: ContractOptions["codeCase"]): CodeHash => {
  const hash = (secret: Redacted.Redacted) => Secret.hash(ReadableCode.normalize(Redacted.value(secret), codeCase))
  return "code" in presented
    ? { codeHash: hash(presented.code), keyHash: "" }
    : { codeHash: hash(presented.giftCode), keyHash: hash(presented.giftKey) }
}
