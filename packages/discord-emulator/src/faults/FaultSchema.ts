import type { FaultRule } from "./FaultRule.ts"

/** A field of a rule: a check, and the description of a valid value. */
interface Field {
  readonly isValid: (value: unknown) => boolean
  readonly expected: string
}

const flag: Field = { isValid: (value) => typeof value === "boolean", expected: "true or false" }
const pattern: Field = { isValid: (value) => value instanceof RegExp, expected: "a regular expression" }
const text: Field = { isValid: (value) => typeof value === "string" && value !== "", expected: "a text" }
const number = (min: number, max: number, expected: string, whole = true): Field => ({
  isValid: (value) => typeof value === "number" && value >= min && value <= max && (!whole || Number.isInteger(value)),
  expected
})

const frequencyFields = {
  times: number(1, Number.MAX_SAFE_INTEGER, "a whole number from 1"),
  skip: number(0, Number.MAX_SAFE_INTEGER, "a whole number from 0"),
  probability: number(0, 1, "a number from 0 to 1", false)
}
const failureFields = {
  delayMs: number(0, 2 ** 31 - 1, "a number of milliseconds", false),
  status: number(200, 599, "an HTTP status from 200 to 599"),
  dropSocket: flag
}

/** The kinds of rules, their fields, and the fields of which a rule needs at least one. */
const kinds = {
  event: {
    fields: {
      ...frequencyFields,
      event: {
        isValid: (value: unknown) => pattern.isValid(value) || text.isValid(value),
        expected: "a name or a regular expression"
      },
      drop: flag,
      duplicate: flag,
      delayMs: failureFields.delayMs
    },
    effects: ["drop", "duplicate", "delayMs"]
  },
  connect: {
    fields: {
      ...frequencyFields,
      ...failureFields,
      connect: { isValid: (value: unknown) => value === true, expected: "true" }
    },
    effects: ["delayMs", "status", "dropSocket"]
  },
  resume: {
    fields: {
      ...frequencyFields,
      resume: { isValid: (value: unknown) => value === true, expected: "true" },
      noAnswer: flag
    },
    effects: ["noAnswer"]
  },
  file: {
    fields: {
      ...frequencyFields,
      ...failureFields,
      file: pattern,
      bytesPerSecond: number(1, Number.MAX_SAFE_INTEGER, "a number of bytes from 1", false)
    },
    effects: ["delayMs", "status", "dropSocket", "bytesPerSecond"]
  },
  request: {
    fields: {
      ...frequencyFields,
      ...failureFields,
      route: pattern,
      method: {
        isValid: (value: unknown) => /^(get|head|post|put|patch|delete)$/i.test(String(value)),
        expected: "GET, HEAD, POST, PUT, PATCH or DELETE"
      },
      after: flag,
      noAnswer: flag,
      html: text,
      code: number(0, 2 ** 31 - 1, "an error code of Discord"),
      scope: {
        isValid: (value: unknown) => value === "user" || value === "global" || value === "shared",
        expected: '"user", "global" or "shared"'
      },
      retryAfter: {
        isValid: (value: unknown) => value === false || (typeof value === "number" && value >= 0 && value < 2 ** 31),
        expected: "a number of seconds or false"
      }
    },
    effects: ["delayMs", "status", "dropSocket", "noAnswer", "html"]
  }
} satisfies Record<
  string,
  { readonly fields: Readonly<Record<string, Field>>; readonly effects: ReadonlyArray<string> }
>

/** Throws a `TypeError` with the reason why a rule could never apply. */
export const validateFault = (rule: FaultRule): void => {
  const input: unknown = rule
  if (typeof input !== "object" || input === null) throw new TypeError("A fault is an object, such as { status: 503 }.")
  const kind = (["event", "connect", "resume", "file"] as const).find((name) => name in input) ?? "request"
  const { effects } = kinds[kind]
  const fields: Readonly<Record<string, Field>> = kinds[kind].fields
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  for (const [key, value] of entries) {
    const field = fields[key]
    if (field === undefined)
      throw new TypeError(`A fault of this kind (${kind}) has no "${key}"; it has ${Object.keys(fields).join(", ")}.`)
    if (!field.isValid(value))
      throw new TypeError(`"${key}" of a fault must be ${field.expected}, not ${String(value)}.`)
  }
  if (!entries.some(([key, value]) => effects.includes(key) && value !== false))
    throw new TypeError(`This fault does nothing; give it one of ${effects.join(", ")}.`)
  const setsRateLimit = entries.some(([key]) => key === "scope" || key === "retryAfter")
  if (setsRateLimit && !entries.some(([key, value]) => key === "status" && value === 429))
    throw new TypeError('"scope" and "retryAfter" of a fault belong to status 429.')
}
