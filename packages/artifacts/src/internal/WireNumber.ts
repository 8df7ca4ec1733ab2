import * as Open from "@heddle/acp/schema/Open"
import * as Schema from "effect/Schema"

/** An int64 beyond 2^53, exact where it came as a string; undefined for any other value. */
export const largeInteger = (value: unknown): bigint | undefined => {
  const isLarge =
    typeof value === "string"
      ? /^-?\d{16,19}$/.test(value)
      : Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 64
  return isLarge && !Number.isSafeInteger(Number(value)) ? BigInt(value as number | string) : undefined
}

/**
 * A field with a number, which some services write as a numeric string (contract decision 21); absent if it cannot be
 * read, or only rounded because it is beyond 2^53.
 */
export const lenientNumber = Open.lenient(
  Schema.Union(Schema.Number, Schema.NumberFromString).pipe(
    Schema.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  )
)
