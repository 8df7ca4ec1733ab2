import * as Schema from "effect/Schema"

const requestId = Schema.optional(Schema.String)

/** What is known of a redemption; it holds nothing secret. All but `Asked`, `Unknown`, `Barred` and `Pending` are final. */
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
  /** Unknown, and the service does not tell before the person has allowed these scopes; none: has connected again. */
  Schema.TaggedStruct("Barred", { scopes: Schema.Array(Schema.String) }),
  /** Taken, but the credits are not issued yet. */
  Schema.TaggedStruct("Pending", { flowNo: Schema.String }),
  /** It stayed unknown for too long. */
  Schema.TaggedStruct("GivenUp", {})
)
export type RedemptionOutcome = typeof RedemptionOutcome.Type

/** Whether nothing more is to be found out. */
export const isFinal = ({ _tag }: RedemptionOutcome): boolean =>
  _tag !== "Asked" && _tag !== "Unknown" && _tag !== "Barred" && _tag !== "Pending"

/** Whether a person hears of this who was told that before: of what stays unknown they hear once. */
export const isNews = (now: RedemptionOutcome, before: RedemptionOutcome): boolean =>
  isFinal(now) ||
  now._tag !== before._tag ||
  (now._tag === "Barred" && before._tag === "Barred" && now.scopes.join() !== before.scopes.join())
