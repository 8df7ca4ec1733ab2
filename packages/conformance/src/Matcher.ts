import { isRecord } from "./internal/Json.ts"

/** A condition on a value, with a description for the report. */
export interface Matcher {
  readonly description: string
  readonly matches: (value: unknown) => boolean
}

export const matcher = (description: string, matches: (value: unknown) => boolean): Matcher => ({
  description,
  matches
})

export const string = matcher("a string", (value) => typeof value === "string")

export const nonEmptyString = matcher(
  "a string that is not empty",
  (value) => typeof value === "string" && value !== ""
)

export const boolean = matcher("a boolean", (value) => typeof value === "boolean")

export const integer = matcher("an integer", (value) => Number.isSafeInteger(value))

export const nonNegativeInteger = matcher(
  "an integer of 0 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0
)

export const positiveInteger = matcher(
  "an integer above 0",
  (value) => Number.isSafeInteger(value) && Number(value) > 0
)

export const array = matcher("an array", Array.isArray)

export const object = matcher("an object", isRecord)

/** An http or https URL. */
export const url = matcher(
  "an http or https address",
  (value) => typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value)
)

/** ISO 8601 with any offset, a fraction or none, `T` or a space. */
export const isoTime = matcher(
  "an ISO 8601 time",
  (value) =>
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/i.test(value) &&
    !Number.isNaN(Date.parse(value.replace(" ", "T")))
)

/** An int64, which JSON of Protocol Buffers writes as a numeric string (contract decision 21). */
export const int64 = ({ description, matches }: Matcher): Matcher =>
  matcher(`${description}, or such a number as a string`, (value) =>
    matches(typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value)
  )

/** Whole milliseconds since 1970, from this century. */
export const epochMs = matcher(
  "epoch milliseconds",
  (value) => Number.isSafeInteger(value) && Number(value) > 946_684_800_000 && Number(value) < 10_000_000_000_000
)

/** Whole seconds since 1970, in the future. */
export const futureSeconds = matcher(
  "Unix seconds in the future",
  (value) => Number.isSafeInteger(value) && Number(value) * 1000 > Date.now() && Number(value) < 100_000_000_000
)

export const is = (expected: unknown): Matcher => matcher(JSON.stringify(expected), (value) => value === expected)

export const oneOf = (...expected: ReadonlyArray<unknown>): Matcher =>
  matcher(`one of ${expected.map((value) => JSON.stringify(value)).join(", ")}`, (value) => expected.includes(value))

export const matching = (pattern: RegExp): Matcher =>
  matcher(`a text like ${String(pattern)}`, (value) => typeof value === "string" && pattern.test(value))

export const atMost = (max: number, matched: Matcher): Matcher =>
  matcher(`${matched.description}, at most ${max}`, (value) => matched.matches(value) && Number(value) <= max)

/** An absent or matching value; null counts as absent (contract decision 21). */
export const optional = (item: Matcher): Matcher =>
  matcher(`${item.description}, or absent`, (value) => value === undefined || value === null || item.matches(value))

export const each = (item: Matcher): Matcher =>
  matcher(
    `an array of which each element is ${item.description}`,
    (value) => Array.isArray(value) && value.every(item.matches)
  )

export const some = (item: Matcher): Matcher =>
  matcher(
    `an array of which some element is ${item.description}`,
    (value) => Array.isArray(value) && value.some(item.matches)
  )

export const ofLength = (min: number, max: number): Matcher =>
  matcher(
    `an array of ${min === max ? min : `${min} to ${max}`} elements`,
    (value) => Array.isArray(value) && value.length >= min && value.length <= max
  )

/** Objects with a `created_at`, the newest first. */
export const newestFirst = matcher("ordered by created_at, newest first", (value) => isOldestFirst(value, true))

/** Objects with a `created_at`, the oldest first. */
export const oldestFirst = matcher("ordered by created_at, oldest first", (value) => isOldestFirst(value, false))

function isOldestFirst(value: unknown, reversed: boolean): boolean {
  const items = Array.isArray(value) ? value.filter(isRecord) : []
  const times = (reversed ? items.toReversed() : items).map((item) => Date.parse(String(item["created_at"])))
  return times.length > 0 && times.every((time, index) => index === 0 || time >= Number(times[index - 1]))
}

/** An object whose fields match; other fields are allowed. */
export const struct = (fields: Readonly<Record<string, Matcher>>): Matcher =>
  matcher(
    `an object with ${Object.entries(fields)
      .map(([name, { description }]) => `${name} (${description})`)
      .join(", ")}`,
    (value) => isRecord(value) && Object.entries(fields).every(([name, { matches }]) => matches(value[name]))
  )

export const all = (...matchers: ReadonlyArray<Matcher>): Matcher =>
  matcher(matchers.map(({ description }) => description).join(" and "), (value) =>
    matchers.every(({ matches }) => matches(value))
  )

/** An object without these fields. */
export const without = (...names: ReadonlyArray<string>): Matcher =>
  matcher(
    `an object without ${names.join(", ")}`,
    (value) => isRecord(value) && names.every((name) => !(name in value))
  )
