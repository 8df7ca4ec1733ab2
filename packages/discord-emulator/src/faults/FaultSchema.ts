import type { FaultRule } from "./FaultRule.ts"

/** A field of a rule: a check, and the description of a valid value. */
interface Field {
  readonly fits: (value: unknown) => boolean
  readonly wanted: string
}

const flag: Field = { fits: (value) => typeof value === "boolean", wanted: "true or false" }
const pattern: Field = { fits: (value) => value instanceof RegExp, wanted: "a regular expression" }
const text: Field = { fits: (value) => typeof value === "string" && value !== "", wanted: "a text" }
const number = (least: number, most: number, wanted: string, whole = true): Field => ({
  fits: (value) => typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value)),
  wanted
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
        fits: (value: unknown) => pattern.fits(value) || text.fits(value),
        wanted: "a name or a regular expression"
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
      connect: { fits: (value: unknown) => value === true, wanted: "true" }
    },
    effects: ["delayMs", "status", "dropSocket"]
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
        fits: (value: unknown) => /^(get|head|post|put|patch|delete)$/i.test(String(value)),
        wanted: "GET, HEAD, POST, PUT, PATCH or DELETE"
      },
      after: flag,
      noAnswer: flag,
      html: text,
      scope: {
        fits: (value: unknown) => value === "user" || value === "global" || value === "shared",
        wanted: '"user", "global" or "shared"'
      },
      retryAfter: {
        fits: (value: unknown) => value === false || (typeof value === "number" && value >= 0 && value < 2 ** 31),
        wanted: "a number of seconds or false"
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
  const given: unknown = rule
  if (typeof given !== "object" || given === null) throw new TypeError("A fault is an object, such as { status: 503 }.")
  const kind = "event" in given ? "event" : "connect" in given ? "connect" : "file" in given ? "file" : "request"
  const { effects } = kinds[kind]
  const fields: Readonly<Record<string, Field>> = kinds[kind].fields
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [key, value] of set) {
    const field = fields[key]
    if (field === undefined)
      throw new TypeError(`A fault of this kind (${kind}) has no "${key}"; it has ${Object.keys(fields).join(", ")}.`)
    if (!field.fits(value)) throw new TypeError(`"${key}" of a fault must be ${field.wanted}, not ${String(value)}.`)
  }
  if (!set.some(([key, value]) => effects.includes(key) && value !== false))
    throw new TypeError(`This fault does nothing; give it one of ${effects.join(", ")}.`)
  const limited = set.some(([key]) => key === "scope" || key === "retryAfter")
  if (limited && !set.some(([key, value]) => key === "status" && value === 429))
    throw new TypeError('"scope" and "retryAfter" of a fault belong to status 429.')
}
