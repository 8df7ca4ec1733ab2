import { lengthLimits, type RedemptionRequest } from "@heddle/core/domain/Redemption"
import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { PresentedCode } from "./CodeHash.ts"
import * as ApiError from "../internal/ApiError.ts"

/** A valid redemption request (contract 4.12, part 8). */
export interface RedemptionForm {
  readonly presented: PresentedCode
  readonly requestId: string
}

/**
 * Checks mode, lengths in code points and characters; the messages name fields and never repeat values (contract decisions
 * 90, 92).
 */
export const check = (request: RedemptionRequest): Effect.Effect<RedemptionForm, InvalidRequest> => {
  const { code, giftCode, giftKey, requestId } = request
  const problem =
    codeOrGiftProblem(request) ??
    fieldProblem("code", code, lengthLimits.code) ??
    fieldProblem("gift_key", giftKey, lengthLimits.giftKey) ??
    fieldProblem("gift_code", giftCode, lengthLimits.giftCode) ??
    fieldProblem("request_id", Redacted.make(requestId), lengthLimits.requestId)
  if (problem !== undefined) return Effect.fail(ApiError.invalidRequest(problem))
  if (code !== undefined) return Effect.succeed({ presented: { code }, requestId })
  if (giftKey !== undefined && giftCode !== undefined) {
    return Effect.succeed({ presented: { giftKey, giftCode }, requestId })
  }
  return Effect.dieMessage("a redemption without a mode passed its check")
}

const codeOrGiftProblem = ({ code, giftCode, giftKey }: RedemptionRequest): string | undefined => {
  if (code !== undefined) {
    return giftKey === undefined && giftCode === undefined
      ? undefined
      : "Send either code, or gift_key with gift_code, not both."
  }
  if (giftKey === undefined && giftCode === undefined) return "Missing: code, or gift_key with gift_code."
  if (giftKey === undefined) return "Missing: gift_key, which belongs to gift_code."
  return giftCode === undefined ? "Missing: gift_code, which belongs to gift_key." : undefined
}

const fieldProblem = (
  name: string,
  value: Redacted.Redacted | undefined,
  [minLength, maxLength]: readonly [number, number]
): string | undefined => {
  if (value === undefined) return undefined
  const text = Redacted.value(value)
  const length = [...text].length
  if (length < minLength || length > maxLength)
    return `The field ${name} must have ${minLength} to ${maxLength} characters.`
  return /^[\x20-\x7e]*$/.test(text) ? undefined : `The field ${name} must be printable ASCII.`
}
