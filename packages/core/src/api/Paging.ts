import * as Schema from "effect/Schema"

/**
 * The text of a query parameter, or several if it is repeated. Numbers stay text, because the contract reads invalid
 * ones as defaults.
 */
export const QueryText = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  jsonSchema: { type: "string" }
})
export type QueryText = typeof QueryText.Type

/** A query parameter that is a whole number within bounds. The description is for the OpenAPI document. */
export const wholeNumber = (
  limits: { readonly minimum: number; readonly maximum?: number; readonly default: number },
  description: string
) => Schema.optional(QueryText.annotations({ jsonSchema: { type: "integer", ...limits } })).annotations({ description })

/** How many entries a page has. */
export const pageSize = wholeNumber(
  { minimum: 1, maximum: 100, default: 20 },
  "A value that is not a whole number from 1 means 20. A value above 100 means 100."
)
