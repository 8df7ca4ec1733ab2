import * as Schema from "effect/Schema"

/**
 * A field that may be absent or `null` on the wire and is absent in the model (contract decision 21).
 */
export const optional = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { exact: true, nullable: true })

/**
 * An integer that some servers write as a numeric string (contract decision 21); beyond 2^53 it does not decode.
 */
export const WireInt = Schema.Union(Schema.Int, Schema.NumberFromString.pipe(Schema.int())).pipe(
  Schema.filter((n) => Number.isSafeInteger(n), { message: () => "not a safe integer" })
)

/** A number of seconds that some servers write as a numeric string or with a fraction (contract decision 34). */
export const WireSeconds = Schema.Union(Schema.Finite, Schema.NumberFromString.pipe(Schema.finite()))
