import * as Schema from "effect/Schema"

/**
 * A query parameter as it was written: once, or several times. Numbers stay words, because the document reads odd ones
 * as defaults.
 */
export const QueryWord = Schema.Union(Schema.String, Schema.Array(Schema.String))
export type QueryWord = typeof QueryWord.Type
