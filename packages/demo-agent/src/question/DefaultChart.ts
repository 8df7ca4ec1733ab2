import type { ChartPlan } from "../chart/ChartPlan.ts"
import { granularityFor, type Measure, type DateGranularity } from "../data/Aggregation.ts"
import { isIdentifier, summariseLabels, summariseNumbers } from "../data/Statistics.ts"
import { allRows, isDate, isLabel, isNumber, type Column, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { usualMeasure } from "./Figures.ts"

/** A plan with what a reader should know about the choice, or why there is none. */
export type PlannedChart =
  | { readonly ok: true; readonly plan: ChartPlan; readonly notes: ReadonlyArray<string> }
  | { readonly ok: false; readonly why: string }

/** Plans the chart that says most about a table, for a request that names no column. */
export const defaultChart = (table: Table): PlannedChart => {
  const largest = largestColumn(table)
  const date = table.columns.findIndex(
    (column) => isDate(column) && Number.isFinite(column.values.find(Number.isFinite))
  )
  if (largest !== undefined && date >= 0) return overTime(table, date, largest.index, undefined, undefined)
  const category = table.columns.findIndex((column) => isCategory(table, column))
  if (largest !== undefined && category >= 0) return byGroup(table, category, largest.index, undefined)
  if (largest !== undefined) return { ok: true, plan: { mark: "histogram", column: largest.index }, notes: [] }
  if (category >= 0) return byGroup(table, category, undefined, "count")
  const words = table.columns.findIndex((column) => column.kind === "text")
  if (words >= 0 && table.rowCount > 0) return byGroup(table, words, undefined, "count")
  return { ok: false, why: "There is no column with values to draw." }
}

/** The column of numbers with the largest sum, leaving out identifiers. */
export const largestColumn = (
  table: Table,
  smallest = false
): { readonly index: number; readonly sum: number; readonly skipped: ReadonlyArray<string> } | undefined => {
  const rows = allRows(table)
  const numbers = table.columns.flatMap((column, index) =>
    isNumber(column) ? [{ index, column, sum: summariseNumbers(column, rows) }] : []
  )
  const measured = numbers.filter(({ column, sum }) => sum.present > 0 && !isIdentifier(table, column))
  const candidates = measured.length > 0 ? measured : numbers.filter(({ sum }) => sum.present > 0)
  const skipped = numbers
    .filter((entry) => !candidates.includes(entry) && entry.sum.present > 0)
    .map(({ column }) => column.name)
  const best = candidates.sort((a, b) => (smallest ? a.sum.sum - b.sum.sum : b.sum.sum - a.sum.sum))[0]
  return best === undefined ? undefined : { index: best.index, sum: best.sum.sum, skipped }
}

/** Plans figures over time; `by` is a column of dates. */
export const overTime = (
  table: Table,
  by: number,
  column: number | undefined,
  measure: Measure | undefined,
  step: DateGranularity | undefined
): PlannedChart => {
  const dates = table.columns[by]
  if (dates === undefined || !isDate(dates))
    return { ok: false, why: "No column holds dates, so I cannot draw over time." }
  const { min, max } = summariseNumbers(dates, allRows(table))
  const chosen = measure ?? (column === undefined ? "count" : usualMeasure(nameAt(table, column)))
  const notes = measure === undefined && column !== undefined ? [assumed(chosen, nameAt(table, column))] : []
  const plan = {
    by,
    column: chosen === "count" ? undefined : column,
    measure: chosen,
    step: step ?? granularityFor(min, max)
  }
  return { ok: true, plan: { mark: plan.step === "weekday" ? "bar" : "line", ...plan }, notes }
}

/** Plans one figure for each value of a column. */
export const byGroup = (
  table: Table,
  by: number,
  column: number | undefined,
  measure: Measure | undefined
): PlannedChart => {
  const chosen = measure ?? (column === undefined ? "count" : usualMeasure(nameAt(table, column)))
  const notes = measure === undefined && column !== undefined ? [assumed(chosen, nameAt(table, column))] : []
  return {
    ok: true,
    plan: { mark: "bar", by, step: "month", column: chosen === "count" ? undefined : column, measure: chosen },
    notes
  }
}

const assumed = (measure: Measure, name: string): string =>
  measure === "mean"
    ? `${Markdown.bold(name)} is averaged; say “total ${Markdown.cell(name)}” for sums.`
    : `${Markdown.bold(name)} is added up; say “average ${Markdown.cell(name)}” for averages.`

const isCategory = (table: Table, column: Column): boolean => {
  if (!isLabel(column) || column.kind === "empty") return false
  const { distinct } = summariseLabels(column, allRows(table), 0)
  return distinct >= 2 && distinct <= 50 && distinct < table.rowCount
}

const nameAt = (table: Table, index: number): string => table.columns[index]?.name ?? ""
