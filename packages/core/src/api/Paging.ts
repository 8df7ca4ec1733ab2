import * as Schema from "effect/Schema"

/**
 * A query parameter as it was written: once, or several times. Numbers stay words, because the document reads odd ones
 * as defaults.
 */
export const QueryWord = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  jsonSchema: { type: "string" }
})
export type QueryWord = typeof QueryWord.Type

/** A query parameter that is a whole number within bounds. The description is for the OpenAPI document. */
export const wholeNumber = (
  bounds: { readonly minimum: number; readonly maximum?: number; readonly default: number },
  description: string
) => Schema.optional(QueryWord.annotations({ jsonSchema: { type: "integer", ...bounds } })).annotations({ description })

/** How many entries a page has. */
export const pageSize = wholeNumber(
  { minimum: 1, maximum: 100, default: 20 },
  "A value that is not a whole number from 1 means 20. A value above 100 means 100."
)
