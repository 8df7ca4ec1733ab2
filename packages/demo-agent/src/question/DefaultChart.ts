import type { ChartPlan } from "../chart/ChartPlan.ts"
import { amountsOf, mixtureText } from "../data/Amounts.ts"
import { granularityFor, type Measure, type DateGranularity } from "../data/Aggregation.ts"
import { summariseLabels, summariseNumbers } from "../data/Statistics.ts"
import { allRows, isDate, isLabel, isNumber, type Column, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import { defaultMeasure, measureNote } from "./Figures.ts"

/** A plan with notes on the choices made for the reader, or the reason why there is no plan. */
export type PlannedChart =
  | { readonly ok: true; readonly plan: ChartPlan; readonly notes: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: string }

/** Plans the chart that says most about a table, for a request that names no column. */
export const defaultChart = (table: Table): PlannedChart => {
  const largest = largestColumn(table)
  const date = table.columns.findIndex(
    (column) => isDate(column) && Number.isFinite(column.values.find(Number.isFinite))
  )
  if (largest !== undefined && date >= 0) return planOverTime(table, date, largest.index, undefined, undefined)
  const category = table.columns.findIndex((column) => isCategory(table, column))
  if (largest !== undefined && category >= 0) return planByGroup(table, category, largest.index, undefined)
  if (largest !== undefined) return { ok: true, plan: { mark: "histogram", column: largest.index }, notes: [] }
  if (category >= 0) return planByGroup(table, category, undefined, "count")
  const textColumn = table.columns.findIndex((column) => column.kind === "text")
  if (textColumn >= 0 && table.rowCount > 0) return planByGroup(table, textColumn, undefined, "count")
  return { ok: false, reason: Language.text("There is no column with values to draw.", "没有可以画图的列。") }
}

/** The column of numbers with the largest (or smallest) sum, of those that can be added up. */
export const largestColumn = (table: Table, smallest = false): LargestColumn | undefined => {
  const rows = allRows(table)
  const numbers = table.columns.flatMap((column, index) => {
    if (!isNumber(column)) return []
    const summary = summariseNumbers(column, rows)
    return summary.present > 0 ? [{ index, column, summary, isMixed: amountsOf(column, rows) !== undefined }] : []
  })
  const candidates = numbers.filter(({ column, isMixed }) => !isMixed && !column.isIdentifier)
  const best = candidates.sort((a, b) => (smallest ? a.summary.sum - b.summary.sum : b.summary.sum - a.summary.sum))[0]
  return best === undefined
    ? undefined
    : {
        index: best.index,
        summary: best.summary.sum,
        identifiers: numbers.flatMap(({ column }) => (column.isIdentifier ? [column.name] : [])),
        mixed: numbers.flatMap(({ column, isMixed }) => (isMixed ? [column.name] : []))
      }
}

/** Says why no column is the largest. */
export const noLargestColumn = (table: Table): string => {
  const rows = allRows(table)
  const mixed = table.columns.filter((column) => isNumber(column) && amountsOf(column, rows) !== undefined)
  const amounts = amountsOf(mixed[0], rows)
  return amounts === undefined
    ? Language.text(
        "No column holds numbers that measure something, so none of them is the largest.",
        "没有表示数量的列，所以没有最大的一列。"
      )
    : mixtureText(mixed, amounts)
}

/** The column with the largest or smallest sum. */
interface LargestColumn {
  readonly index: number
  readonly summary: number
  /** The names of the columns that do not count: identifiers, and amounts in several currencies. */
  readonly identifiers: ReadonlyArray<string>
  readonly mixed: ReadonlyArray<string>
}

/** Plans figures over time; `by` is a column of dates. */
export const planOverTime = (
  table: Table,
  by: number,
  column: number | undefined,
  measure: Measure | undefined,
  step: DateGranularity | undefined
): PlannedChart => {
  const dateColumn = table.columns[by]
  if (dateColumn === undefined || !isDate(dateColumn))
    return {
      ok: false,
      reason: Language.text("No column holds dates, so I cannot draw over time.", "没有日期列，所以不能按时间画图。")
    }
  const { min, max } = summariseNumbers(dateColumn, allRows(table))
  const effectiveMeasure = measure ?? (column === undefined ? "count" : defaultMeasure(nameAt(table, column)))
  const notes = measureNotes(table, column, measure)
  const plan = {
    by,
    column: effectiveMeasure === "count" ? undefined : column,
    measure: effectiveMeasure,
    step: step ?? granularityFor(min, max)
  }
  return { ok: true, plan: { mark: plan.step === "weekday" ? "bar" : "line", ...plan }, notes }
}

/** Plans one figure for each value of a column. */
export const planByGroup = (
  table: Table,
  by: number,
  column: number | undefined,
  measure: Measure | undefined
): PlannedChart => {
  const effectiveMeasure = measure ?? (column === undefined ? "count" : defaultMeasure(nameAt(table, column)))
  const notes = measureNotes(table, column, measure)
  return {
    ok: true,
    plan: {
      mark: "bar",
      by,
      step: "month",
      column: effectiveMeasure === "count" ? undefined : column,
      measure: effectiveMeasure
    },
    notes
  }
}

/** Says which measure was taken; what is in several currencies is not drawn, or says it by its title. */
const measureNotes = (table: Table, column: number | undefined, measure: Measure | undefined): ReadonlyArray<string> =>
  measure !== undefined || column === undefined || amountsOf(table.columns[column], allRows(table)) !== undefined
    ? []
    : [measureNote(defaultMeasure(nameAt(table, column)), nameAt(table, column))]

const isCategory = (table: Table, column: Column): boolean => {
  if (!isLabel(column) || column.kind === "empty") return false
  const { distinct } = summariseLabels(column, allRows(table), 0)
  return distinct >= 2 && distinct <= 50 && distinct < table.rowCount
}

const nameAt = (table: Table, index: number): string => table.columns[index]?.name ?? ""
