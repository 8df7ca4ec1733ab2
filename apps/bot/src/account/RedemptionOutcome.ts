import type { RedemptionError } from "@heddle/core/Redemptions"
import * as Schema from "effect/Schema"
import { explain } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import { oneLine } from "../view/Fit.ts"

const requestId = Schema.optional(Schema.String)

/** What is known of a redemption; it holds nothing secret. All but `Asked`, `Unknown` and `Pending` are final. */
export const RedemptionOutcome = Schema.Union(
  /** Nothing was heard yet. */
  Schema.TaggedStruct("Asked", {}),
  Schema.TaggedStruct("Redeemed", { flowNo: Schema.String, credits: Schema.Number }),
  /** The code is used up, expired or unknown; `unclear` when an earlier try may have redeemed it. */
  Schema.TaggedStruct("Refused", { requestId, unclear: Schema.Boolean }),
  /** The service took it before and does not tell the result, or told it in a way that cannot be read. */
  Schema.TaggedStruct("Untold", { requestId }),
  /** Nothing was redeemed, for a reason that is in the words for the person. */
  Schema.TaggedStruct("Failed", { words: Schema.String }),
  /** Another account was connected before it was done; `unclear` when it may have been done on the one before. */
  Schema.TaggedStruct("OtherAccount", { unclear: Schema.Boolean }),
  Schema.TaggedStruct("Unknown", { requestId }),
  /** Taken, but the credits are not issued yet. */
  Schema.TaggedStruct("Pending", { flowNo: Schema.String }),
  /** It stayed unknown for too long. */
  Schema.TaggedStruct("GivenUp", {})
)
export type RedemptionOutcome = typeof RedemptionOutcome.Type

/** Whether nothing more is to be found out. */
export const isFinal = ({ _tag }: RedemptionOutcome): boolean =>
  _tag !== "Asked" && _tag !== "Unknown" && _tag !== "Pending"

/**
 * What a failed call says about the redemption. `before`: there was a call before, whose outcome is unknown; then only
 * what the service says about this very redemption is final.
 */
export const fromError = (error: RedemptionError, before: boolean, messages: Messages): RedemptionOutcome => {
  const trace = "requestId" in error && error.requestId !== undefined ? { requestId: error.requestId } : {}
  switch (error._tag) {
    case "RedemptionPending":
      return { _tag: "Pending", flowNo: oneLine(error.flowNo, 100) }
    case "AlreadyHandled":
    case "ContractViolation":
      return { _tag: "Untold", ...trace }
    case "RedemptionOutcomeUnknown":
    case "OutcomeUnknown":
      return { _tag: "Unknown", ...trace }
    case "RefusedAfterLostAnswer":
      return { _tag: "Refused", unclear: true, ...trace }
    case "InvalidGrant":
    case "NotFound":
      return { _tag: "Refused", unclear: before, ...trace }
    case "InvalidRedemption":
      return { _tag: "Failed", words: messages.redeem.misfit[error.field === "idempotencyKey" ? "code" : error.field] }
    default:
      return before
        ? { _tag: "Unknown", ...trace }
        : { _tag: "Failed", words: explain(messages, error, "person", "redeem") }
  }
}

/** What the person is told. */
export const words = (outcome: RedemptionOutcome, messages: Messages): string => {
  const { redeem, request } = messages
  const trace = "requestId" in outcome && outcome.requestId !== undefined ? `\n-# ${request(outcome.requestId)}` : ""
  switch (outcome._tag) {
    case "Redeemed":
      return redeem.redeemed(outcome.credits.toLocaleString("en"), outcome.flowNo)
    case "Refused":
      return `${outcome.unclear ? redeem.refusedLate : redeem.refused}${trace}`
    case "Untold":
      return `${redeem.untold}${trace}`
    case "Failed":
      return outcome.words
    case "OtherAccount":
      return outcome.unclear ? redeem.otherAccountUnclear : redeem.otherAccount
    case "Asked":
    case "Unknown":
      return `${redeem.unknown}${trace}`
    case "Pending":
      return redeem.pending(outcome.flowNo)
    case "GivenUp":
      return redeem.givenUp
  }
}
