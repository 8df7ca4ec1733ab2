import * as Statistics from "d3-array"
import { isLabel, isMissingAt, type Column, type LabelColumn, type NumericColumn, type Rows } from "./Table.ts"

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
  readonly standardDeviation: number
  readonly firstQuartile: number
  readonly thirdQuartile: number
  readonly outliers: Outliers
}

/** Values outside the quartiles by more than 1.5 interquartile ranges. */
export interface Outliers {
  readonly count: number
  readonly lowerBound: number
  readonly upperBound: number
  /** Up to three values, the farthest first. */
  readonly examples: ReadonlyArray<number>
}

/** The distribution of a column of words over some rows. */
export interface LabelSummary {
  readonly present: number
  readonly missing: number
  readonly distinct: number
  /** The most frequent labels, most frequent first. */
  readonly topLabels: ReadonlyArray<readonly [label: string, times: number]>
}

/** Summarises a numeric or date column. */
export const summariseNumbers = (column: NumericColumn, rows: Rows): NumberSummary => {
  const sorted = sortedValues(column, rows)
  const firstQuartile = quantile(sorted, 0.25)
  const thirdQuartile = quantile(sorted, 0.75)
  return {
    present: sorted.length,
    missing: rows.length - sorted.length,
    distinct: sorted.reduce((n, value, i) => (i > 0 && value === sorted[i - 1] ? n : n + 1), 0),
    sum: Statistics.sum(sorted),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    mean: Statistics.mean(sorted) ?? Number.NaN,
    median: quantile(sorted, 0.5),
    standardDeviation: Statistics.deviation(sorted) ?? Number.NaN,
    firstQuartile,
    thirdQuartile,
    outliers: outliersOf(sorted, firstQuartile, thirdQuartile)
  }
}

/** Summarises a column of words. */
export const summariseLabels = (column: LabelColumn, rows: Rows, top = 5): LabelSummary => {
  const times = countLabels(column, rows)
  const entries = column.labels
    .map((label, i) => [label, times[i + 1] ?? 0] as const)
    .filter(([, n]) => n > 0)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const missing = times[0] ?? 0
  return { present: rows.length - missing, missing, distinct: entries.length, topLabels: entries.slice(0, top) }
}

/** A quantile of ascending values, by linear interpolation between the two nearest ranks. */
export const quantile = (sorted: Array<number>, share: number): number =>
  Statistics.quantileSorted(sorted, share) ?? Number.NaN

/** The values of some rows in ascending order, without the missing ones. */
export const sortedValues = (column: NumericColumn, rows: Rows): Array<number> =>
  Array.from(presentValues(column, rows).sort())

/** The values of some rows without the missing ones, in row order. */
export const presentValues = (column: NumericColumn, rows: Rows): Float64Array => {
  const values = new Float64Array(rows.length)
  let count = 0
  for (const row of rows) {
    const value = column.values[row] ?? Number.NaN
    if (!Number.isNaN(value)) values[count++] = value
  }
  return values.subarray(0, count)
}

/** The number of rows in which a column has no value. */
export const countMissing = (column: Column, rows: Rows): number =>
  rows.reduce((missing, row) => (isMissingAt(column, row) ? missing + 1 : missing), 0)

/** The number of different values in all rows of a column. */
export const countDistinct = (column: Column, rows: Rows): number =>
  isLabel(column) ? column.labels.length : summariseNumbers(column, rows).distinct

/** How often each label occurs, by code; index 0 counts the missing values. */
const countLabels = (column: LabelColumn, rows: Rows): Uint32Array => {
  const times = new Uint32Array(column.labels.length + 1)
  for (const row of rows) {
    const code = column.codes[row] ?? 0
    times[code] = (times[code] ?? 0) + 1
  }
  return times
}

const outliersOf = (sorted: ReadonlyArray<number>, q1: number, q3: number): Outliers => {
  const margin = 1.5 * (q3 - q1)
  const [lowerBound, upperBound] = [q1 - margin, q3 + margin]
  if (sorted.length < 8 || margin === 0) return { count: 0, lowerBound, upperBound, examples: [] }
  const outliers = sorted.filter((value) => value < lowerBound || value > upperBound)
  const middle = (q1 + q3) / 2
  const examples = [...new Set(outliers)].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle)).slice(0, 3)
  return { count: outliers.length, lowerBound, upperBound, examples }
}
