import { FormErrors, type Path } from "./FormErrors.ts"

export type { Path } from "./FormErrors.ts"

/** A parsed JSON object of a request. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Types a value of Discord's API whose fields are checked by hand. */
export const checkedAs = <A>(value: unknown): A => value as A

/** The least and the greatest length. */
interface Limits {
  readonly min?: number
  readonly max: number
}

interface TextLimits extends Limits {
  readonly required?: boolean
}

/** Reads the fields of a body and collects their errors. Readers return `undefined` for absent and null values. */
export class Form extends FormErrors {
  /** A text of `min` to `max` characters. */
  text(fields: JsonObject, key: string, path: Path, limits: TextLimits): string | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) {
      if (limits.required === true) this.addRequiredError(at)
      return undefined
    }
    if (typeof value !== "string") {
      this.addError(at, "STRING_TYPE_CONVERT", `Could not interpret "${typeof value}" as string.`)
      return undefined
    }
    if (value === "" && limits.required === true) this.addRequiredError(at)
    else checkLength(this, at, [...value].length, limits)
    return value
  }

  /** A list of `min` to `max` values. */
  list(fields: JsonObject, key: string, path: Path, limits: Limits): ReadonlyArray<unknown> | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) {
      if ((limits.min ?? 0) > 0) this.addRequiredError(at)
      return undefined
    }
    if (!Array.isArray(value)) {
      this.addError(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
      return undefined
    }
    checkLength(this, at, value.length, limits)
    return value
  }

  /** A list of ids, without invalid values. */
  ids(fields: JsonObject, key: string, path: Path, limits: Limits): ReadonlyArray<string> | undefined {
    const list = this.list(fields, key, path, limits)
    return list?.flatMap((value, index) => {
      if (value === null) this.addRequiredError([...path, key, index])
      return this.id({ [index]: value }, String(index), [...path, key]) ?? []
    })
  }

  /** Permission bits, a decimal text or number. */
  bits(fields: JsonObject, key: string, path: Path): bigint | undefined {
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const text = formatValue(value)
    if (/^\d{1,19}$/.test(text)) return BigInt(text)
    this.addError([...path, key], "NUMBER_TYPE_COERCE", `Value "${text}" is not int.`)
    return undefined
  }

  /** A whole number within limits. */
  integer(fields: JsonObject, key: string, path: Path, limits: { min: number; max: number }): number | undefined {
    const at = [...path, key]
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const number = typeof value === "string" && /^[+-]?\d+$/.test(value) ? Number(value) : value
    if (typeof number !== "number" || !Number.isInteger(number)) {
      this.addError(at, "NUMBER_TYPE_COERCE", `Value "${formatValue(value)}" is not int.`)
      return undefined
    }
    if (number < limits.min)
      this.addError(at, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${limits.min}.`)
    if (number > limits.max)
      this.addError(at, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${limits.max}.`)
    return number
  }

  /** An id, as text or number. */
  id(fields: JsonObject, key: string, path: Path): string | undefined {
    const value = fields[key]
    if (value === undefined || value === null) return undefined
    const text = typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value)
    if (/^\d{1,20}$/.test(text)) return text
    this.addError([...path, key], "NUMBER_TYPE_COERCE", `Value "${text}" is not snowflake.`)
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
    const match = allowed.find((candidate) => candidate === value)
    if (match === undefined)
      this.addError(
        [...path, key],
        "BASE_TYPE_CHOICES",
        `Value must be one of (${allowed.map((choice) => (typeof choice === "string" ? `'${choice}'` : choice)).join(", ")}).`
      )
    return match
  }

  /** A JSON object. */
  object(value: unknown, path: Path): JsonObject | undefined {
    if (isJsonObject(value)) return value
    this.addError(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
    return undefined
  }
}

/** A client's value in an error message. JSON objects may have a field `toString` that is no function. */
export const formatValue = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value).slice(0, 100) : String(value)

const checkLength = (form: FormErrors, at: Path, length: number, { max, min = 0 }: Limits): void => {
  if (length >= min && length <= max) return
  if (min > 0) form.addError(at, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`)
  else form.addError(at, "BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`)
}
