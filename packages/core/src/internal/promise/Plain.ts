import type { BrandTypeId } from "effect/Brand"
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Simplify } from "effect/Types"

/** A credential that logs, strings and JSON do not show; read its `value`. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  get value(): string {
    return this.#value
  }
  toString(): string {
    return "[redacted]"
  }
  toJSON(): string {
    return "[redacted]"
  }
  /** Used by Node's `util.inspect` and `console.log`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[redacted]"
  }
}

/** A value without Effect's types: no class, brand, `Redacted`, `Option` or `Chunk` at any depth. */
export type Plain<A> = unknown extends A
  ? A
  : A extends Primitive
    ? Unbranded<A>
    : A extends Redacted.Redacted
      ? Secret
      : A extends Option.Option<infer Value>
        ? Plain<Value> | undefined
        : A extends ReadonlyArray<infer Item> | Chunk.Chunk<infer Item>
          ? ReadonlyArray<Plain<Item>>
          : PlainObject<A>

export type Primitive = string | number | boolean | null | undefined | void

/** A string of a brand as a string; literals stay as they are. */
export type Unbranded<A> = A extends string & { readonly [BrandTypeId]: unknown } ? string : A

type PlainObject<A> = Simplify<
  {
    readonly [K in keyof A as A[K] extends Option.Option<unknown> ? never : K]: Plain<A[K]>
  } & {
    readonly [K in keyof A as A[K] extends Option.Option<unknown> ? K : never]?: Exclude<Plain<A[K]>, undefined>
  }
>

/** Converts a value to plain data; leaves out fields that are `None`. */
export const toPlain = <A>(value: A): Plain<A> => convert(value) as Plain<A>

const convert = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Redacted.isRedacted(value)) return new Secret(String(Redacted.value(value)))
  if (Option.isOption(value)) return convert(Option.getOrUndefined(value))
  if (Array.isArray(value) || Chunk.isChunk(value)) return Array.from(value, convert)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      Option.isOption(field) && Option.isNone(field) ? [] : [[name, convert(field)]]
    )
  )
}
