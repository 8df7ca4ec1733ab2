import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Reads what a peer has sent as a schema says; none when it does not fit. A union looks at what stands where a name
 * should by `String`, which throws at an object whose own `toString` is no function: that does not fit either.
 */
export const reader = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => Option.Option<A>) => {
  const decode = Schema.decodeUnknownOption(schema, { onExcessProperty: "preserve" })
  return (value) => {
    try {
      return decode(value)
    } catch {
      return Option.none()
    }
  }
}
