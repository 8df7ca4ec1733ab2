import { isRecord } from "./internal/Words.ts"

/** What a value has to be, with words for it. */
export interface Shape {
  readonly says: string
  readonly holds: (value: unknown) => boolean
}

/** A shape of one's own. */
export const shape = (says: string, holds: (value: unknown) => boolean): Shape => ({ says, holds })

export const string = shape("a string", (value) => typeof value === "string")

export const filled = shape("a string that is not empty", (value) => typeof value === "string" && value !== "")

export const boolean = shape("a boolean", (value) => typeof value === "boolean")

export const integer = shape("an integer", (value) => Number.isSafeInteger(value))

export const count = shape("an integer from 0 up", (value) => Number.isSafeInteger(value) && Number(value) >= 0)

export const positive = shape("an integer above 0", (value) => Number.isSafeInteger(value) && Number(value) > 0)

export const array = shape("an array", Array.isArray)

export const object = shape("an object", isRecord)

/** An address that can be asked over HTTP. */
export const url = shape(
  "an http or https address",
  (value) => typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value)
)

/** ISO 8601 with any offset, a fraction or none, `T` or a space. */
export const isoTime = shape(
  "an ISO 8601 time",
  (value) =>
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/i.test(value) &&
    !Number.isNaN(Date.parse(value.replace(" ", "T")))
)

/** Whole milliseconds since 1970, from this century. */
export const epochMs = shape(
  "epoch milliseconds",
  (value) => Number.isSafeInteger(value) && Number(value) > 946_684_800_000 && Number(value) < 10_000_000_000_000
)

/** Whole seconds since 1970 that are still to come. */
export const futureSeconds = shape(
  "Unix seconds in the future",
  (value) => Number.isSafeInteger(value) && Number(value) * 1000 > Date.now() && Number(value) < 100_000_000_000
)

export const is = (expected: unknown): Shape => shape(JSON.stringify(expected), (value) => value === expected)

export const oneOf = (...expected: ReadonlyArray<unknown>): Shape =>
  shape(`one of ${expected.map((value) => JSON.stringify(value)).join(", ")}`, (value) => expected.includes(value))

export const matching = (pattern: RegExp): Shape =>
  shape(`a text like ${String(pattern)}`, (value) => typeof value === "string" && pattern.test(value))

export const atMost = (most: number, of: Shape): Shape =>
  shape(`${of.says}, at most ${most}`, (value) => of.holds(value) && Number(value) <= most)

/** Null counts as absent (decision 21). */
export const optional = (of: Shape): Shape =>
  shape(`${of.says}, or absent`, (value) => value === undefined || value === null || of.holds(value))

export const each = (of: Shape): Shape =>
  shape(`an array of which each element is ${of.says}`, (value) => Array.isArray(value) && value.every(of.holds))

export const sized = (least: number, most: number): Shape =>
  shape(
    `an array of ${least === most ? least : `${least} to ${most}`} elements`,
    (value) => Array.isArray(value) && value.length >= least && value.length <= most
  )

/** An object whose fields have these shapes; others may be there too. */
export const struct = (fields: Readonly<Record<string, Shape>>): Shape =>
  shape(
    `an object with ${Object.entries(fields)
      .map(([name, { says }]) => `${name} (${says})`)
      .join(", ")}`,
    (value) => isRecord(value) && Object.entries(fields).every(([name, { holds }]) => holds(value[name]))
  )

export const all = (...shapes: ReadonlyArray<Shape>): Shape =>
  shape(shapes.map(({ says }) => says).join(" and "), (value) => shapes.every(({ holds }) => holds(value)))

/** An object that lacks these fields. */
export const without = (...names: ReadonlyArray<string>): Shape =>
  shape(`an object without ${names.join(", ")}`, (value) => isRecord(value) && names.every((name) => !(name in value)))
