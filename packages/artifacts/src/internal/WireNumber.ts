import * as Open from "@heddle/acp/schema/Open"
import * as Schema from "effect/Schema"

/**
 * A field with a number, which some services write as a numeric string (contract decision 21); absent if it cannot be
 * read.
 */
export const lenientNumber = Open.lenient(Schema.Union(Schema.Finite, Schema.NumberFromString.pipe(Schema.finite())))
