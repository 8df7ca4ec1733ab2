import * as Open from "@heddle/acp/schema/Open"
import * as Schema from "effect/Schema"

/**
 * A field with a number, which some services write as a numeric string (contract decision 21); absent if it cannot be
 * read, or only rounded because it is beyond 2^53.
 */
export const lenientNumber = Open.lenient(
  Schema.Union(Schema.Number, Schema.NumberFromString).pipe(
    Schema.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  )
)
