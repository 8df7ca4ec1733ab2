import { group, max, mean, median, min, sum } from "d3-array"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { DAY_MS } from "./Dates.ts"
import { presentValues } from "./Statistics.ts"
import { isLabel, labelAt, valueText, type Column, type NumericColumn, type Rows } from "./Table.ts"

/** How the values of one group become one figure. */
export type Measure = "count" | "sum" | "mean" | "median" | "min" | "max"

/** The length of the steps in which dates are grouped. */
export type DateGranularity = "day" | "week" | "month" | "quarter" | "year" | "weekday"

/** One group of rows with its figure. */
export interface Group {
  readonly label: string
  /** Identifies the group; dates and numbers are sorted by it. */
  readonly key: number
  /** The number of rows in the figure: all of the group for a count, else those with a value. */
  readonly rows: number
  readonly value: number
  /** The rows of the group. */
  readonly members: Rows
}

/** The groups of some rows, and how many rows are left out. */
export interface Grouping {
  readonly groups: ReadonlyArray<Group>
  /** Rows without a value in the column that groups. */
  readonly rowsWithoutGroup: number
  /** Rows of a group without a value to measure. */
  readonly rowsWithoutValue: number
}

/** Groups rows by one column and measures another. */
export const groupRows = (
  rows: Rows,
  by: Column,
  step: DateGranularity,
  valueColumn: NumericColumn | undefined,
  measure: Measure
): Grouping => {
  const rowsByKey = group(rows, (row) => groupKeyOf(by, step, row))
  const rowsWithoutGroup = rowsByKey.get(Number.NaN)?.length ?? 0
  rowsByKey.delete(Number.NaN)
  const countsRows = measure === "count" || valueColumn === undefined
  const groups = [...rowsByKey].map(([key, rows]): Group => {
    const members = Uint32Array.from(rows)
    const values = countsRows ? [] : presentValues(valueColumn, members)
    const label = groupLabelOf(by, step, key, rows[0] ?? 0)
    return countsRows
      ? { key, label, members, rows: rows.length, value: rows.length }
      : { key, label, members, rows: values.length, value: MEASURES[measure](values) ?? Number.NaN }
  })
  const measuredRows = groups.reduce((n, group) => n + group.rows, 0)
  return {
    groups: groups.filter((group) => group.rows > 0),
    rowsWithoutGroup,
    rowsWithoutValue: rows.length - rowsWithoutGroup - measuredRows
  }
}

const MEASURES: Record<Measure, (values: Iterable<number>) => number | undefined> = {
  count: (values) => [...values].length,
  sum,
  mean,
  median,
  min,
  max
}

/** Sorts groups: dates and numbers ascending, words by their figure, largest first. */
export const sortGroups = (by: Column, groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  [...groups].sort((a, b) => (isLabel(by) ? b.value - a.value || (a.label < b.label ? -1 : 1) : a.key - b.key))

/** The step that gives a readable number of points between two moments. */
export const granularityFor = (from: number, until: number): DateGranularity => {
  const days = (until - from) / DAY_MS
  if (days <= 92) return "day"
  return days <= 366 * 6 ? "month" : "year"
}

/** The name of a grouping: the step for dates, else the column. */
export const groupingLabel = (by: Column, step: DateGranularity): string =>
  by.kind === "date" ? Language.text(step, CHINESE_STEPS[step]) : by.name

/** A measure as a word before a column name. */
export const measureWords: Record<Measure, string> = {
  count: "number of",
  sum: "total",
  mean: "average",
  median: "median",
  min: "lowest",
  max: "highest"
}

/** The same in Chinese. */
export const chineseMeasures: Record<Measure, string> = {
  count: "行数",
  sum: "总",
  mean: "平均",
  median: "中位数",
  min: "最低",
  max: "最高"
}

const CHINESE_STEPS: Record<DateGranularity, string> = {
  day: "日",
  week: "周",
  month: "月",
  quarter: "季度",
  year: "年",
  weekday: "星期"
}

/**
 * What a row is grouped by: a label's code, a number, the start of a period in epoch milliseconds, or a weekday
 * (Monday = 0). NaN without a value; label code 0 is a missing value.
 */
const groupKeyOf = (by: Column, step: DateGranularity, row: number): number => {
  if (isLabel(by)) {
    const code = by.codes[row] ?? 0
    return code === 0 ? Number.NaN : code
  }
  const value = by.values[row] ?? Number.NaN
  if (by.kind !== "date" || Number.isNaN(value)) return value
  const date = new Date(value)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  if (step === "year") return Date.UTC(year, 0)
  if (step === "quarter") return Date.UTC(year, month - (month % 3))
  if (step === "month") return Date.UTC(year, month)
  if (step === "weekday") return (date.getUTCDay() + 6) % 7
  const day = Date.UTC(year, month, date.getUTCDate())
  return step === "day" ? day : day - ((date.getUTCDay() + 6) % 7) * DAY_MS
}

const WEEKDAYS = {
  english: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  chinese: ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"]
}

const groupLabelOf = (by: Column, step: DateGranularity, key: number, row: number): string => {
  if (isLabel(by)) return labelAt(by, row)
  if (by.kind !== "date") return valueText(by, key)
  const iso = step === "weekday" ? "" : Markdown.date(key)
  if (step === "year") return iso.slice(0, 4)
  if (step === "month") return iso.slice(0, 7)
  if (step === "quarter") return `${iso.slice(0, 4)} Q${Math.floor(new Date(key).getUTCMonth() / 3) + 1}`
  return step === "weekday"
    ? (Language.pick(WEEKDAYS)[key] ?? "")
    : step === "week"
      ? Language.text(`week of ${iso}`, `${iso} 起的一周`)
      : iso
}
