import * as Markdown from "./Markdown.ts"
import { quantile } from "./Statistics.ts"
import { isLabel, labelAt, type Column, type NumericColumn, type Rows } from "./Table.ts"

/** How the values of one group become one figure. */
export type Measure = "count" | "sum" | "mean" | "median" | "min" | "max"

/** The length of the steps in which dates are grouped. */
export type Step = "day" | "week" | "month" | "quarter" | "year" | "weekday"

/** One group of rows with its figure. */
export interface Group {
  readonly label: string
  /** Groups are told apart and, for dates and numbers, ordered by this. */
  readonly key: number
  /** The rows that the figure is made of: all of the group when rows are counted, else those with a value. */
  readonly rows: number
  readonly value: number
}

/** Groups rows by a column and measures another; rows without a group or without a value are left out and counted. */
export const groupRows = (
  rows: Rows,
  by: Column,
  step: Step,
  measured: NumericColumn | undefined,
  measure: Measure
): { readonly groups: ReadonlyArray<Group>; readonly left: number; readonly valueless: number } => {
  const buckets = new Map<number, { label: string; rows: number; values: Array<number> }>()
  let left = 0
  for (const row of rows) {
    const key = keyOf(by, step, row)
    if (Number.isNaN(key)) {
      left++
      continue
    }
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      bucket = { label: labelOf(by, step, key, row), rows: 0, values: [] }
      buckets.set(key, bucket)
    }
    bucket.rows++
    const value = measured?.values[row]
    if (value !== undefined && !Number.isNaN(value)) bucket.values.push(value)
  }
  const counting = measured === undefined || measure === "count"
  const groups = [...buckets].map(([key, bucket]) => ({
    key,
    label: bucket.label,
    rows: counting ? bucket.rows : bucket.values.length,
    value: counting ? bucket.rows : measureOf(bucket.values, measure)
  }))
  const used = groups.reduce((sum, group) => sum + group.rows, 0)
  return { groups: groups.filter((group) => !Number.isNaN(group.value)), left, valueless: rows.length - left - used }
}

/** Groups in the order a reader expects: dates and numbers ascending, words by their figure, largest first. */
export const inOrder = (by: Column, groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  [...groups].sort((a, b) => (isLabel(by) ? b.value - a.value || (a.label < b.label ? -1 : 1) : a.key - b.key))

/** The step that gives a readable number of points between two moments. */
export const stepFor = (from: number, until: number): Step => {
  const days = (until - from) / 86_400_000
  if (days <= 92) return "day"
  return days <= 366 * 6 ? "month" : "year"
}

/** What a grouping is called: dates by their step, anything else by the column. */
export const groupedBy = (by: Column, step: Step): string => (by.kind === "date" ? step : by.name)

/** The measure that makes sense for a column unless another is asked for: prices and rates are averaged, amounts added. */
export const usualMeasure = (name: string): Measure =>
  /price|rate|score|temp|age\b|percent|pct|ratio|avg|average|mean|rating|height|weight|speed|humidity|level|grade|%/i.test(
    name
  )
    ? "mean"
    : "sum"

/** A measure as a word before a column name. */
export const measureWord: Record<Measure, string> = {
  count: "number of",
  sum: "total",
  mean: "average",
  median: "median",
  min: "lowest",
  max: "highest"
}

const measureOf = (values: ReadonlyArray<number>, measure: Measure): number => {
  if (values.length === 0) return Number.NaN
  if (measure === "median") return quantile(Float64Array.from(values).sort(), 0.5)
  let result = measure === "min" ? Infinity : measure === "max" ? -Infinity : 0
  for (const value of values) {
    if (measure === "min") result = Math.min(result, value)
    else if (measure === "max") result = Math.max(result, value)
    else result += value
  }
  return measure === "mean" ? result / values.length : result
}

const keyOf = (by: Column, step: Step, row: number): number => {
  if (isLabel(by)) {
    const code = by.codes[row] ?? 0
    return code === 0 ? Number.NaN : code
  }
  const value = by.values[row] ?? Number.NaN
  if (by.kind !== "date" || Number.isNaN(value)) return value
  const at = new Date(value)
  const year = at.getUTCFullYear()
  const month = at.getUTCMonth()
  if (step === "year") return Date.UTC(year, 0)
  if (step === "quarter") return Date.UTC(year, month - (month % 3))
  if (step === "month") return Date.UTC(year, month)
  if (step === "weekday") return (at.getUTCDay() + 6) % 7
  const day = Date.UTC(year, month, at.getUTCDate())
  return step === "day" ? day : day - ((at.getUTCDay() + 6) % 7) * 86_400_000
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

const labelOf = (by: Column, step: Step, key: number, row: number): string => {
  if (isLabel(by)) return labelAt(by, row)
  if (by.kind !== "date") return Markdown.number(key, by.unit)
  const iso = step === "weekday" ? "" : Markdown.date(key)
  if (step === "year") return iso.slice(0, 4)
  if (step === "month") return iso.slice(0, 7)
  if (step === "quarter") return `${iso.slice(0, 4)} Q${Math.floor(new Date(key).getUTCMonth() / 3) + 1}`
  return step === "weekday" ? (WEEKDAYS[key] ?? "") : step === "week" ? `week of ${iso}` : iso
}
