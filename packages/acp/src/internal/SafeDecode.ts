import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Makes a decoder that never throws. A union looks at a tag by `String`, which throws at an object whose own `toString`
 * is no function. Such a value does not fit either.
 */
export const safeDecoder = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => Option.Option<A>) => {
  const decode = Schema.decodeUnknownOption(schema, { onExcessProperty: "preserve" })
  return (value) => {
    try {
      return decode(value)
    } catch {
      return Option.none()
    }
  }
}
