import * as Schema from "effect/Schema"

/** The header of every answer, with the value `true`, by which a service says that it keeps idempotency keys. */
export const acceptIdempotencyKey = "accept-idempotency-key"

/** The header that makes a write safe to repeat. */
export const IdempotencyKeyHeader = Schema.Struct({
  "idempotency-key": Schema.optional(
    Schema.String.annotations({
      jsonSchema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }
    })
  ).annotations({
    description:
      "Makes the request safe to repeat for 24 hours. The same key with the same body gives the same result, with another body 409."
  })
})
