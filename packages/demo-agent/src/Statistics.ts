import {
  isLabel,
  isMissingAt,
  type Column,
  type LabelColumn,
  type NumericColumn,
  type Rows,
  type Table
} from "./Table.ts"
import { wordsOf } from "./ColumnMatch.ts"

/** The distribution of a numeric or date column over some rows; every figure but the counts is `NaN` without values. */
export interface NumberSummary {
  readonly present: number
  readonly missing: number
  readonly distinct: number
  readonly sum: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly median: number
  /** Sample standard deviation; `NaN` below two values. */
  readonly deviation: number
  readonly firstQuartile: number
  readonly thirdQuartile: number
  /** Values outside the quartiles by more than 1.5 interquartile ranges. */
  readonly outliers: Outliers
  readonly negative: number
}

/** Values far from the rest. */
export interface Outliers {
  readonly count: number
  readonly low: number
  readonly high: number
  /** Up to three values, the farthest first. */
  readonly examples: ReadonlyArray<number>
}

/** The words of a column over some rows. */
export interface LabelSummary {
  readonly present: number
  readonly missing: number
  readonly distinct: number
  /** Most frequent first, at most `top`. */
  readonly top: ReadonlyArray<readonly [label: string, times: number]>
  readonly longest: number
}

/** Summarises a numeric or date column. */
export const summariseNumbers = (column: NumericColumn, rows: Rows): NumberSummary => {
  const sorted = presentValues(column, rows).sort()
  const n = sorted.length
  let sum = 0
  let distinct = 0
  let negative = 0
  for (let i = 0; i < n; i++) {
    const value = sorted[i] ?? 0
    sum += value
    if (i === 0 || value !== sorted[i - 1]) distinct++
    if (value < 0) negative++
  }
  const mean = n === 0 ? Number.NaN : sum / n
  let squares = 0
  for (const value of sorted) squares += (value - mean) ** 2
  const firstQuartile = quantile(sorted, 0.25)
  const thirdQuartile = quantile(sorted, 0.75)
  return {
    present: n,
    missing: rows.length - n,
    distinct,
    sum,
    min: sorted[0] ?? Number.NaN,
    max: sorted[n - 1] ?? Number.NaN,
    mean,
    median: quantile(sorted, 0.5),
    deviation: n < 2 ? Number.NaN : Math.sqrt(squares / (n - 1)),
    firstQuartile,
    thirdQuartile,
    outliers: outliersOf(sorted, firstQuartile, thirdQuartile),
    negative
  }
}

/** Summarises a column of words. */
export const summariseLabels = (column: LabelColumn, rows: Rows, top = 5): LabelSummary => {
  const times = labelCounts(column, rows)
  const entries: Array<readonly [string, number]> = []
  let present = 0
  let longest = 0
  for (let code = 1; code < times.length; code++) {
    const n = times[code] ?? 0
    if (n === 0) continue
    const label = column.labels[code - 1] ?? ""
    present += n
    longest = Math.max(longest, label.length)
    entries.push([label, n])
  }
  const distinct = entries.length
  entries.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return { present, missing: rows.length - present, distinct, top: entries.slice(0, top), longest }
}

/** Linear interpolation between the two nearest ranks of ascending values. */
export const quantile = (sorted: Float64Array, share: number): number => {
  if (sorted.length === 0) return Number.NaN
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? low
  return low + (high - low) * (at - Math.floor(at))
}

/** The values of some rows without the missing ones, in row order. */
export const presentValues = (column: NumericColumn, rows: Rows): Float64Array => {
  const values = new Float64Array(rows.length)
  let n = 0
  for (const row of rows) {
    const value = column.values[row] ?? Number.NaN
    if (!Number.isNaN(value)) values[n++] = value
  }
  return values.subarray(0, n)
}

/** How often each label occurs, by code; index 0 counts the missing values. */
export const labelCounts = (column: LabelColumn, rows: Rows): Uint32Array => {
  const times = new Uint32Array(column.labels.length + 1)
  for (const row of rows) {
    const code = column.codes[row] ?? 0
    times[code] = (times[code] ?? 0) + 1
  }
  return times
}

/** A whole-number column whose values name rows instead of measuring something: an id, a running number, a code. */
export const isIdentifier = (table: Table, column: Column): boolean => {
  if (column.kind !== "integer") return false
  const named = wordsOf(column.name).some((word) =>
    /^(id|ids|nr|no|key|code|zip|postcode|plz|index|uuid|row|phone|year)$/.test(word)
  )
  if (named) return true
  if (table.rowCount < 20) return false
  let ascending = true
  for (let row = 1; row < table.rowCount && ascending; row++) {
    ascending = (column.values[row] ?? Number.NaN) - (column.values[row - 1] ?? Number.NaN) === 1
  }
  return ascending
}

/** Rows in which a column has no value. */
export const missingIn = (column: Column, rows: Rows): number => {
  if (isLabel(column)) return labelCounts(column, rows)[0] ?? 0
  let missing = 0
  for (const row of rows) if (isMissingAt(column, row)) missing++
  return missing
}

const outliersOf = (sorted: Float64Array, q1: number, q3: number): Outliers => {
  const reach = 1.5 * (q3 - q1)
  const low = q1 - reach
  const high = q3 + reach
  if (sorted.length < 8 || reach === 0) return { count: 0, low, high, examples: [] }
  let below = 0
  while (below < sorted.length && (sorted[below] ?? 0) < low) below++
  let above = 0
  while (above < sorted.length && (sorted[sorted.length - 1 - above] ?? 0) > high) above++
  const middle = (q1 + q3) / 2
  const examples = [
    ...new Set([...sorted.subarray(0, Math.min(3, below)), ...sorted.subarray(sorted.length - Math.min(3, above))])
  ]
    .sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    .slice(0, 3)
  return { count: below + above, low, high, examples }
}
