/** How the decimals of a column are written: `1,234.5` or `1.234,5`. */
export type DecimalMark = "." | ","

/** The notation of a date column. */
export type DateStyle = "iso" | "day.month.year" | "day/month/year" | "month/day/year" | "named"

/** A date or period as a half-open interval of epoch milliseconds, UTC. */
export interface Period {
  readonly from: number
  readonly until: number
}

/** Tells whether a cell holds no value in any kind of column. */
export const isMissing = (cell: string): boolean => {
  if (cell.length > 5) return cell.trim() === ""
  return MISSING.has(cell.trim().toLowerCase())
}

/**
 * Tells whether a cell holds no value in a column of numbers, dates or booleans. "NA" and "-" can be real values of a
 * text column (a region, a grade), so there they count as values.
 */
export const isMissingInTyped = (cell: string): boolean =>
  isMissing(cell) || (cell.length <= 6 && MISSING_IN_TYPED.has(cell.trim().toLowerCase()))

/** Parses a number with thousands separators, currency or percent signs; `undefined` when it is none. */
export const parseNumber = (cell: string, mark: DecimalMark): number | undefined => {
  let body = cell.trim()
  if (body.length === 0 || body.length > 40) return undefined
  if (PLAIN.test(body) && (mark === "." || !body.includes("."))) return finite(body)
  const parenthesised = body.startsWith("(") && body.endsWith(")")
  if (parenthesised) body = body.slice(1, -1).trim()
  const signed = SIGN.exec(body)
  if (signed !== null) body = body.slice(signed[0].length)
  body = body.replace(UNIT_BEFORE, "").replace(UNIT_AFTER, "")
  const late = signed === null ? SIGN.exec(body) : null
  if (late !== null) body = body.slice(late[0].length)
  const value = groupedNumber(body, mark)
  const negative = parenthesised !== /^[-\u2212]/.test((signed ?? late)?.[0] ?? "")
  return value === undefined ? undefined : negative ? -value : value
}

/** Names the currency or percent sign written with a number, `undefined` when it is bare. */
export const unitOf = (cell: string): string | undefined => {
  const body = cell.trim().replace(/^[-+(\u2212]\s*/, "")
  const found = UNIT_BEFORE.exec(body)?.[0] ?? UNIT_AFTER.exec(body.replace(/\)$/, ""))?.[0]
  return found?.trim()
}

/** Tells whether a whole number is written with leading zeros, as codes and postcodes are. */
export const hasLeadingZero = (cell: string): boolean => /^0\d+$/.test(cell.trim())

/** Parses a date in one notation into epoch milliseconds, UTC; `undefined` when it is none. */
export const parseDate = (cell: string, style: DateStyle): number | undefined => {
  const text = cell.trim()
  if (text.length < 6 || text.length > 35) return undefined
  if (style === "iso") return parseIso(text)
  if (style === "named") return parseNamed(text)
  const found = NUMERIC_DATE.exec(text)
  if (found === null) return undefined
  const [, first = "", separator = "", second = "", year = "", time = ""] = found
  if (style === "day.month.year") return separator === "." ? dateOf(year, second, first, time) : undefined
  if (separator === ".") return undefined
  return style === "day/month/year" ? dateOf(year, second, first, time) : dateOf(year, first, second, time)
}

/** All date notations in the order in which they win when several fit. */
export const dateStyles: ReadonlyArray<DateStyle> = [
  "iso",
  "day.month.year",
  "month/day/year",
  "day/month/year",
  "named"
]

/** Parses a year, quarter, month, day or moment ("2024", "2024-Q2", "2024-03", "March 2024", "2024-03-09", "9.3.2024"). */
export const parsePeriod = (text: string, style: DateStyle = "iso"): Period | undefined => {
  const trimmed = text.trim()
  if (/^\d{4}$/.test(trimmed)) return { from: Date.UTC(Number(trimmed), 0), until: Date.UTC(Number(trimmed) + 1, 0) }
  const quarter = /^(?:(\d{4})[- ]?q([1-4])|q([1-4])[- ](\d{4}))$/i.exec(trimmed)
  if (quarter !== null) {
    const year = Number(quarter[1] ?? quarter[4])
    const start = (Number(quarter[2] ?? quarter[3]) - 1) * 3
    return { from: Date.UTC(year, start), until: Date.UTC(year, start + 3) }
  }
  const month = /^(\d{4})-(\d{1,2})$/.exec(trimmed)
  if (month !== null) return monthPeriod(Number(month[1]), Number(month[2]) - 1)
  const named = /^([a-z]{3,9})\.? (\d{4})$/i.exec(trimmed)
  if (named !== null) return monthPeriod(Number(named[2]), monthIndex(named[1] ?? ""))
  for (const candidate of [style, ...dateStyles]) {
    const from = parseDate(trimmed, candidate)
    if (from !== undefined) return { from, until: /\d:\d/.test(trimmed) ? from + 1 : from + 86_400_000 }
  }
  return undefined
}

/** Parses yes/no words; `undefined` when the cell is none. Plain 0 and 1 stay numbers. */
export const parseBoolean = (cell: string): boolean | undefined => BOOLEANS.get(cell.trim().toLowerCase())

const MISSING = new Set(["", "n/a", "#n/a", "null", "nan", "nil"])
const MISSING_IN_TYPED = new Set(["na", "none", "-", "--", "\u2013", "\u2014", "?", "."])
const BOOLEANS = new Map([
  ["true", true],
  ["false", false],
  ["yes", true],
  ["no", false],
  ["ja", true],
  ["nein", false]
])
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/
const SIGN = /^[-+\u2212]\s*/
const UNIT_BEFORE = /^(?:[$€£¥₹₽₩]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR)(?=[\s\d-]))\s*/i
const UNIT_AFTER = /\s*(?:[$€£¥₹₽₩%]|(?<=[\s\d])(?:USD|EUR|GBP|JPY|CHF|CNY|INR))$/i
const GROUPED_POINT = /^(?:\d{1,3}(?:[, '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:\.\d*)?$|^\.\d+$/
const GROUPED_COMMA = /^(?:\d{1,3}(?:[. '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:,\d*)?$|^,\d+$/
const NUMERIC_DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T](.+))?$/
const ISO = /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2})(?:[T ](.+))?)?$/
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2}|[ap]m)?$/i
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const finite = (text: string): number | undefined => {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const groupedNumber = (digits: string, mark: DecimalMark): number | undefined => {
  if (!(mark === "." ? GROUPED_POINT : GROUPED_COMMA).test(digits)) return undefined
  return finite(mark === "." ? digits.replace(/[^\d.]/g, "") : digits.replace(/[^\d,]/g, "").replace(",", "."))
}

const monthIndex = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase())

const monthPeriod = (year: number, month: number): Period | undefined =>
  month < 0 || month > 11 ? undefined : { from: Date.UTC(year, month), until: Date.UTC(year, month + 1) }

const parseIso = (text: string): number | undefined => {
  const found = ISO.exec(text)
  if (found === null) return undefined
  const [, year = "", month = "", day = "1", time = ""] = found
  return dateOf(year, month, day, time)
}

const parseNamed = (text: string): number | undefined => {
  const dayFirst = /^(\d{1,2})\.?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i.exec(text)
  if (dayFirst !== null)
    return dateOf(dayFirst[3] ?? "", String(monthIndex(dayFirst[2] ?? "") + 1), dayFirst[1] ?? "", "")
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})$/i.exec(text)
  if (monthFirst === null) return undefined
  return dateOf(monthFirst[3] ?? "", String(monthIndex(monthFirst[1] ?? "") + 1), monthFirst[2] ?? "", "")
}

const dateOf = (yearText: string, monthText: string, dayText: string, time: string): number | undefined => {
  const shortYear = Number(yearText)
  const year = yearText.length === 2 ? (shortYear < 70 ? 2000 : 1900) + shortYear : shortYear
  const month = Number(monthText)
  const day = Number(dayText)
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const start = Date.UTC(year, month - 1, day)
  if (new Date(start).getUTCDate() !== day) return undefined
  if (time === "") return start
  const offset = timeOffset(time)
  return offset === undefined ? undefined : start + offset
}

const timeOffset = (time: string): number | undefined => {
  const found = TIME.exec(time.trim())
  if (found === null) return undefined
  const [, hourText = "", minute = "", second = "0", fraction = "0", zone = ""] = found
  let hour = Number(hourText)
  if (/^[ap]m$/i.test(zone)) hour = (hour % 12) + (zone.toLowerCase() === "pm" ? 12 : 0)
  if (hour > 24 || Number(minute) > 59 || Number(second) > 60) return undefined
  const shift = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  const minutesEast = shift === null ? 0 : (shift[1] === "-" ? -1 : 1) * (Number(shift[2]) * 60 + Number(shift[3]))
  return (
    ((hour * 60 + Number(minute) - minutesEast) * 60 + Number(second)) * 1000 +
    Math.floor(Number(`0.${fraction}`) * 1000)
  )
}
