// The platform's Date does the arithmetic. Libraries that read dates in many notations take 15 to 100 times as long for
// each cell. Those that guess the notation accept 31 February.

export const DAY_MS = 86_400_000

/** The notation of a date column. */
export type DateStyle = "iso" | "month" | "day.month.year" | "day/month/year" | "month/day/year" | "named"

/** A date or period as a half-open interval of epoch milliseconds, UTC. */
export interface Period {
  readonly from: number
  readonly until: number
}

/** All date notations; where several fit a column, the first one wins. */
export const dateStyles: ReadonlyArray<DateStyle> = [
  "iso",
  "month",
  "day.month.year",
  "month/day/year",
  "day/month/year",
  "named"
]

/** Parses a date in one notation into epoch milliseconds, UTC; `undefined` for other cells. */
export const parseDate = (cell: string, style: DateStyle): number | undefined => {
  const text = cell.trim()
  if (text.length < 6 || text.length > 35) return undefined
  for (const pattern of PATTERNS[style]) {
    const parts = pattern.exec(text)?.groups
    if (parts !== undefined) return toEpoch(parts)
  }
  return undefined
}

/** Parses a year, month, day or moment ("2024", "2024-03", "March 2024", "2024年3月", "2024-03-09", "9.3.2024"). */
export const parsePeriod = (text: string, style: DateStyle = "iso"): Period | undefined => {
  const trimmed = text
    .trim()
    .replace(/[年月](?=\d)/g, "-")
    .replace(/[年月日号]$/, "")
  for (const [pattern, months] of PERIODS) {
    const parts = pattern.exec(trimmed)?.groups
    if (parts === undefined) continue
    const month = monthOf(parts["month"] ?? "1")
    if (month < 1 || month > 12) return undefined
    const year = Number(parts["year"])
    return { from: Date.UTC(year, month - 1), until: Date.UTC(year, month - 1 + months) }
  }
  for (const candidate of [style, ...dateStyles]) {
    const from = parseDate(trimmed, candidate)
    if (from !== undefined) return { from, until: /\d:\d/.test(trimmed) ? from + 1 : from + DAY_MS }
  }
  return undefined
}

const TIME = String.raw`(?<time>.+)`
const PATTERNS: Record<DateStyle, ReadonlyArray<RegExp>> = {
  iso: [new RegExp(String.raw`^(?<year>\d{4})[-/年](?<month>\d{1,2})[-/月](?<day>\d{1,2})[日号]?(?:[T ]${TIME})?$`)],
  month: [/^(?<year>\d{4})[-/年](?<month>\d{1,2})月?$/, /^(?<month>[a-z]{3,9})\.? (?<year>\d{4})$/i],
  "day.month.year": [numericPattern(String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.`)],
  "day/month/year": [numericPattern(String.raw`(?<day>\d{1,2})(?<mark>[/-])(?<month>\d{1,2})\k<mark>`)],
  "month/day/year": [numericPattern(String.raw`(?<month>\d{1,2})(?<mark>[/-])(?<day>\d{1,2})\k<mark>`)],
  named: [
    /^(?<day>\d{1,2})\.?[ -](?<month>[a-z]{3,9})\.?,?[ -](?<year>\d{4})$/i,
    /^(?<month>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})$/i
  ]
}
const PERIODS: ReadonlyArray<readonly [pattern: RegExp, months: number]> = [
  [/^(?<year>1[5-9]\d\d|2[01]\d\d)$/, 12],
  [/^(?<year>\d{4})[-/](?<month>\d{1,2})$/, 1],
  [/^(?<month>[a-z]{3,9})\.? (?<year>\d{4})$/i, 1]
]
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

// A function declaration, because the patterns above call it while this module loads.
function numericPattern(dayAndMonth: string): RegExp {
  return new RegExp(String.raw`^${dayAndMonth}(?<year>\d{4}|\d{2})(?:[ T]${TIME})?$`)
}

/** A month as a number from 1, by its number or its English name; 0 for other texts. */
const monthOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1

const toEpoch = (parts: Record<string, string | undefined>): number | undefined => {
  const { day = "1", month = "", time, year = "" } = parts
  const yearNumber = Number(year)
  const start = Date.UTC(
    year.length > 2 ? yearNumber : yearNumber + (yearNumber < 70 ? 2000 : 1900),
    monthOf(month) - 1,
    Number(day)
  )
  const date = new Date(start)
  // Date turns 31 February into 2 March.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() + 1 !== monthOf(month)) return undefined
  if (time === undefined) return start
  const offset = parseTime(time)
  return offset === undefined ? undefined : start + offset
}

/** A time of day with an optional zone as milliseconds after midnight UTC. */
const parseTime = (text: string): number | undefined => {
  const parts = /^(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2}|[ap]m)?$/i.exec(text.trim())
  const zone = parts?.[2] ?? "UTC"
  const time = Date.parse(
    `1 Jan 1970 ${parts?.[1]} ${/^[ap]m$/i.test(zone) ? `${zone} UTC` : zone.replace(/^(?=[+-])/, "GMT")}`
  )
  return Number.isNaN(time) ? undefined : time
}
