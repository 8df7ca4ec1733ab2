import { max, mean, median, min, sum } from "d3-array"
import { isMissingAt, labelAt, presentValues, valueText, type Column, type NumberColumn, type Rows } from "./Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { unitKey } from "./Units.ts"

/** How the values of some rows become one figure. */
export type Measure = "count" | "sum" | "mean" | "median" | "min" | "max"

/** The length of the steps in which dates are grouped; without one, each date is a group. */
export type DateStep = "month" | "year"

/** Rows with the same value of a column. */
export interface Group {
  readonly label: string
  /** A date or number in place of the label, by which groups are ordered. */
  readonly key: number
  readonly rows: Rows
}

/** The groups of some rows: dates and numbers ascending, words by how often they occur; all spellings of a unit are one. Rows without a value have none. */
export const groupRows = (rows: Rows, by: Column, step?: DateStep): ReadonlyArray<Group> => {
  const codes = by.kind === "text" && by.names !== undefined ? sameUnits(by.labels) : undefined
  const rowsByKey = new Map<number, Array<number>>()
  for (const row of rows) {
    if (isMissingAt(by, row)) continue
    const own = keyOf(by, row, step)
    const key = codes?.[own] ?? own
    const members = rowsByKey.get(key)
    if (members === undefined) rowsByKey.set(key, [row])
    else members.push(row)
  }
  const groups = [...rowsByKey].map(([key, members]) => ({
    key,
    rows: Uint32Array.from(members),
    label: by.kind === "text" ? labelAt(by, members[0] ?? 0) : labelOf(by, key, step)
  }))
  return by.kind === "text"
    ? groups.sort((a, b) => b.rows.length - a.rows.length || (a.label < b.label ? -1 : 1))
    : groups.sort((a, b) => a.key - b.key)
}

/** The figure of some rows; `NaN` without values. A count needs no column. */
export const figureOf = (measure: Measure, column: NumberColumn | undefined, rows: Rows): number =>
  column === undefined || measure === "count"
    ? rows.length
    : (FIGURES[measure](presentValues(column, rows)) ?? Number.NaN)

const FIGURES: Record<Exclude<Measure, "count">, (values: Float64Array) => number | undefined> = {
  sum: (values) => (values.length === 0 ? undefined : sum(values)),
  mean,
  median,
  min,
  max
}

/** For each code of a label the code of the first label that names the same unit. */
const sameUnits = (labels: ReadonlyArray<string>): ReadonlyArray<number> => {
  const keys = labels.map(unitKey)
  return [0, ...keys.map((key) => keys.indexOf(key) + 1)]
}

const keyOf = (by: Column, row: number, step: DateStep | undefined): number => {
  if (by.kind === "text") return by.codes[row] ?? 0
  const value = by.values[row] ?? Number.NaN
  if (by.kind === "number" || step === undefined) return value
  const date = new Date(value)
  return Date.UTC(date.getUTCFullYear(), step === "year" ? 0 : date.getUTCMonth())
}

const labelOf = (by: Exclude<Column, { readonly kind: "text" }>, key: number, step: DateStep | undefined): string =>
  by.kind === "date" && step !== undefined ? Markdown.date(key, step) : valueText(by, key)
