import * as Schema from "effect/Schema"

const requestId = Schema.optional(Schema.String)

/** The state of a redemption, without secrets. All but `Requested`, `Unknown`, `Barred` and `Pending` are final. */
export const RedemptionOutcome = Schema.Union(
  /** No response yet. */
  Schema.TaggedStruct("Requested", {}),
  Schema.TaggedStruct("Redeemed", { flowNo: Schema.String, credits: Schema.Number }),
  /** The code is used, expired or unknown; `unclear` when an earlier try may have redeemed it. */
  Schema.TaggedStruct("Refused", { requestId, unclear: Schema.Boolean }),
  /** The service accepted it before, and the result is missing or unreadable. */
  Schema.TaggedStruct("HandledWithoutResult", { requestId }),
  /** The redemption failed; the text for the person has the reason. */
  Schema.TaggedStruct("Failed", { words: Schema.String }),
  /** The person connected another account first; `unclear` when the redemption may have reached the previous one. */
  Schema.TaggedStruct("OtherAccount", { unclear: Schema.Boolean }),
  Schema.TaggedStruct("Unknown", { requestId }),
  /** Unknown until the person grants these scopes; without scopes, until they connect again. */
  Schema.TaggedStruct("Barred", { scopes: Schema.Array(Schema.String) }),
  /** Accepted, but the credits are not issued yet. */
  Schema.TaggedStruct("Pending", { flowNo: Schema.String }),
  /** It stayed unknown for too long. */
  Schema.TaggedStruct("GivenUp", {})
)
export type RedemptionOutcome = typeof RedemptionOutcome.Type

/** Whether the outcome is final. */
export const isFinal = ({ _tag }: RedemptionOutcome): boolean =>
  _tag !== "Requested" && _tag !== "Unknown" && _tag !== "Barred" && _tag !== "Pending"

/** Whether to notify a person who knows the previous outcome; an unknown outcome is reported once. */
export const isNews = (now: RedemptionOutcome, before: RedemptionOutcome): boolean =>
  isFinal(now) ||
  now._tag !== before._tag ||
  (now._tag === "Barred" && before._tag === "Barred" && now.scopes.join() !== before.scopes.join())
