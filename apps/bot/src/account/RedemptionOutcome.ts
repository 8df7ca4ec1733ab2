import type { Scope } from "@heddle/core/domain/Scope"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { RedemptionError } from "@heddle/core/Redemptions"
import { isKnownScope } from "./Connect.ts"
import { allowButton, connectButton } from "../view/ConnectButtons.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { explain, scopeName } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import type { RedemptionOutcome } from "../model/RedemptionOutcome.ts"
import { oneLine } from "../text/Truncate.ts"

/**
 * The redemption's outcome after a failed call. `mayHaveReached`: an earlier call has an unknown outcome, so only an
 * answer about this very redemption is final.
 */
export const fromError = (error: RedemptionError, mayHaveReached: boolean, messages: Messages): RedemptionOutcome => {
  const trace = "requestId" in error && error.requestId !== undefined ? { requestId: error.requestId } : {}
  const failed = (refusal: OpenApiError): RedemptionOutcome => ({
    _tag: "Failed",
    words: explain(messages, refusal, "person", "redeem")
  })
  switch (error._tag) {
    case "RedemptionPending":
      return { _tag: "Pending", flowNo: oneLine(error.flowNo, 100) }
    case "AlreadyHandled":
    case "ContractViolation":
      return { _tag: "HandledWithoutResult", ...trace }
    case "RedemptionOutcomeUnknown":
    case "OutcomeUnknown":
      return { _tag: "Unknown", ...trace }
    case "RefusedAfterLostAnswer":
      return { _tag: "Refused", unclear: true, ...trace }
    case "InvalidGrant":
    case "NotFound":
      return { _tag: "Refused", unclear: mayHaveReached, ...trace }
    case "InvalidRedemption":
      return {
        _tag: "Failed",
        words: messages.redeem.invalidInput[error.field === "idempotencyKey" ? "code" : error.field]
      }
    case "InsufficientScope":
      return mayHaveReached
        ? { _tag: "Barred", scopes: error.required.length === 0 ? [requiredScope] : error.required }
        : failed(error)
    case "InvalidToken":
    case "Reauthorize":
      return mayHaveReached ? { _tag: "Barred", scopes: [] } : failed(error)
    default:
      return mayHaveReached ? { _tag: "Unknown", ...trace } : failed(error)
  }
}

/** The text for the person, with the button of the remedy if there is one. */
export const body = (outcome: RedemptionOutcome, messages: Messages): MessageBody => {
  const content = outcomeText(outcome, messages)
  if (outcome._tag !== "Barred") return { content }
  const scopes = outcome.scopes.filter(isKnownScope)
  const button = scopes.length === 0 ? connectButton(messages, [requiredScope]) : allowButton(messages, scopes)
  return { content, rows: [[button]] }
}

/** The scope that redeeming needs. */
const requiredScope: Scope = "user.credit.exchange"

const outcomeText = (outcome: RedemptionOutcome, messages: Messages): string => {
  const { redeem, request } = messages
  const trace = "requestId" in outcome && outcome.requestId !== undefined ? `\n-# ${request(outcome.requestId)}` : ""
  switch (outcome._tag) {
    case "Redeemed":
      return redeem.redeemed(outcome.credits.toLocaleString("en"), outcome.flowNo)
    case "Refused":
      return `${outcome.unclear ? redeem.refusedAfterTry : redeem.refused}${trace}`
    case "HandledWithoutResult":
      return `${redeem.handledWithoutResult}${trace}`
    case "Failed":
      return outcome.words
    case "OtherAccount":
      return outcome.unclear ? redeem.otherAccountUnclear : redeem.otherAccount
    case "Requested":
    case "Unknown":
      return `${redeem.unknown}${trace}`
    case "Barred":
      return outcome.scopes.length === 0
        ? redeem.needsAccount
        : redeem.needsScopes(outcome.scopes.map((scope) => scopeName(messages, scope)))
    case "Pending":
      return redeem.pending(outcome.flowNo)
    case "GivenUp":
      return redeem.givenUp
  }
}
