import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { safeDecoder } from "../internal/SafeDecode.ts"

/**
 * A variant of a union that is unknown or cannot be read. The key of the union holds "unknown", `tag` its received value,
 * and `raw` the received variant.
 */
export type Unknown<Key extends string> = { readonly [K in Key]: "unknown" } & {
  readonly tag: string
  readonly raw: unknown
}

/** Accepts every value with a string under `key` as `Unknown`; the last member of a union. */
export const unknown = <const Key extends string>(key: Key) =>
  Schema.transform(
    Schema.declare((value: unknown): value is Tagged<Key> => isTagged(key, value)),
    Schema.declare((value: unknown): value is Unknown<Key> => isTagged(key, value) && "raw" in value),
    {
      decode: (raw) => ({ [key]: "unknown", tag: raw[key], raw }) as Unknown<Key>,
      encode: (value) => value.raw as Tagged<Key>
    }
  )

/** A string that is usually one of `Values`; any other string is kept. */
export const literals = <const Values extends ReadonlyArray<string>>(
  ..._values: Values
): Schema.Schema<Values[number] | (string & {}), string> => Schema.String

/** A field that is absent if it cannot be read. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Effect.succeed(undefined) }))

/** A text that is empty if it is missing or cannot be read. */
export const textOrEmpty = Schema.optionalWith(
  Schema.String.annotations({ decodingFallback: () => Effect.succeed("") }),
  {
    default: () => ""
  }
)

/** A list that drops, on decoding, the items that cannot be read. Encoding leaves them as they are: the ACP schemas only read. */
export const lenientItems = <A, I>(item: Schema.Schema<A, I>) => {
  const read = safeDecoder(item)
  return Schema.transform(Schema.Array(Schema.Unknown), Schema.Array(Schema.typeSchema(item)), {
    decode: (all) => all.flatMap((each) => Option.toArray(read(each))),
    encode: (all) => all
  })
}

/** The `_meta` object that every ACP type may have. */
export const meta = lenient(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

type Tagged<Key extends string> = { readonly [K in Key]: string }

const isTagged = <Key extends string>(key: Key, value: unknown): value is Tagged<Key> =>
  typeof value === "object" && value !== null && typeof (value as { readonly [K in Key]?: unknown })[key] === "string"
