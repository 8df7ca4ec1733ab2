import { DiscordError, type FieldErrors } from "../model/DiscordError.ts"

/** Any JSON object as it came over the wire. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Tells whether a value is a JSON object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Gives a value, whose fields were all checked by hand, the type of Discord's API that it now has. */
export const checkedAs = <A>(value: unknown): A => value as A

/** A place in a body, such as `embeds.0.title`. */
export type Path = ReadonlyArray<string | number>

/**
 * Collects every fault of a body, then refuses it once with all of them, as Discord does (code 50035).
 * Readers return `undefined` for absent and null values.
 */
export class Form {
  readonly #errors = noErrors()
  #failed = false

  add(path: Path, code: string, message: string): void {
    this.#failed = true
    let at = this.#errors
    for (const key of path) {
      const below = at[key]
      const next: FieldErrors = below === undefined || Array.isArray(below) ? noErrors() : (below as FieldErrors)
      at[key] = next
      at = next
    }
    const before = at["_errors"]
    at["_errors"] = [...(Array.isArray(before) ? before : []), { code, message }]
  }

  /** Throws 50035 if anything was added. */
  check(): void {
    if (this.#failed) throw new DiscordError(400, 50035, "Invalid Form Body", this.#errors)
  }

  required(path: Path): void {
    this.add(path, "BASE_TYPE_REQUIRED", "This field is required")
  }

  /** A text of `min` to `max` characters. */
  text(
    fields: JsonObject,
    key: string,
    path: Path,
    limits: { min?: number; max: number; required?: boolean }
  ): string | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) {
      if (limits.required === true) this.required(at)
      return undefined
    }
    if (typeof value !== "string") {
      this.add(at, "STRING_TYPE_CONVERT", `Could not interpret "${typeof value}" as string.`)
      return undefined
    }
    const min = limits.min ?? 0
    const length = [...value].length
    if (value === "" && limits.required === true) this.required(at)
    else if (length < min || length > limits.max) {
      if (min > 0) this.add(at, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${limits.max} in length.`)
      else this.add(at, "BASE_TYPE_MAX_LENGTH", `Must be ${limits.max} or fewer in length.`)
    }
    return value
  }

  /** A list of at most `max` values, and at least `min`. */
  list(
    fields: JsonObject,
    key: string,
    path: Path,
    limits: { min?: number; max: number }
  ): ReadonlyArray<unknown> | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) {
      if ((limits.min ?? 0) > 0) this.required(at)
      return undefined
    }
    if (!Array.isArray(value)) {
      this.add(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
      return undefined
    }
    const min = limits.min ?? 0
    if (value.length < min || value.length > limits.max) {
      if (min > 0) this.add(at, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${limits.max} in length.`)
      else this.add(at, "BASE_TYPE_MAX_LENGTH", `Must be ${limits.max} or fewer in length.`)
    }
    return value
  }

  /** A list of ids; those that are none are left out. */
  ids(
    fields: JsonObject,
    key: string,
    path: Path,
    limits: { min?: number; max: number }
  ): ReadonlyArray<string> | undefined {
    const list = this.list(fields, key, path, limits)
    return list?.flatMap((value, index) => {
      if (value === null) this.required([...path, key, index])
      return this.id({ [index]: value }, String(index), [...path, key]) ?? []
    })
  }

  /** Permission bits, a decimal text or number. */
  bits(fields: JsonObject, key: string, path: Path): bigint | undefined {
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const text = formatValue(value)
    if (/^\d{1,19}$/.test(text)) return BigInt(text)
    this.add([...path, key], "NUMBER_TYPE_COERCE", `Value "${text}" is not int.`)
    return undefined
  }

  /** A whole number within limits. */
  integer(fields: JsonObject, key: string, path: Path, limits: { min: number; max: number }): number | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const number = typeof value === "string" && /^[+-]?\d+$/.test(value) ? Number(value) : value
    if (typeof number !== "number" || !Number.isInteger(number)) {
      this.add(at, "NUMBER_TYPE_COERCE", `Value "${formatValue(value)}" is not int.`)
      return undefined
    }
    if (number < limits.min)
      this.add(at, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${limits.min}.`)
    if (number > limits.max) this.add(at, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${limits.max}.`)
    return number
  }

  /** An id, as text or number. */
  id(fields: JsonObject, key: string, path: Path): string | undefined {
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const text = typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value)
    if (/^\d{1,20}$/.test(text)) return text
    this.add([...path, key], "NUMBER_TYPE_COERCE", `Value "${text}" is not snowflake.`)
    return undefined
  }

  /** One of some values. */
  choice<A extends string | number>(
    fields: JsonObject,
    key: string,
    path: Path,
    allowed: ReadonlyArray<A>
  ): A | undefined {
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const found = allowed.find((one) => one === value)
    if (found === undefined)
      this.add(
        [...path, key],
        "BASE_TYPE_CHOICES",
        `Value must be one of (${allowed.map((one) => (typeof one === "string" ? `'${one}'` : one)).join(", ")}).`
      )
    return found
  }

  /** Refuses fields that this Discord could not keep. */
  unsupported(fields: JsonObject, keys: ReadonlyArray<string>): void {
    for (const key of keys)
      if (fields[key] !== undefined && fields[key] !== null)
        this.add([key], "BASE_TYPE_UNSUPPORTED", "This Discord cannot keep it.")
  }

  /** The value as an object, or a fault. */
  object(value: unknown, path: Path): JsonObject | undefined {
    if (isJsonObject(value)) return value
    this.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
    return undefined
  }
}

/** A value of a client in a sentence: lists and objects may have a `toString` of their own, which is no function. */
export const formatValue = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value).slice(0, 100) : String(value)

/** Names of fields come from the client: they must mean nothing but themselves, also `__proto__`. */
const noErrors = (): FieldErrors => Object.create(null) as FieldErrors
