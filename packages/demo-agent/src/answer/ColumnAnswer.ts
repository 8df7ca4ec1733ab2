import type { LabelSummary, NumberSummary } from "../data/Statistics.ts"
import { isDate, isLabel, type DateColumn, type NumericColumn, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { outlierSentence, profileColumn } from "./TableProfile.ts"

/** Describes the values of one column. */
export const describeColumn = (table: Table, rows: Rows, index: number): ReadonlyArray<string> => {
  const column = table.columns[index]
  if (column === undefined) return []
  const { summary } = profileColumn(column, rows)
  const name = Markdown.bold(column.name)
  const head = `${name} holds ${column.kind === "empty" ? "nothing" : `${column.kind} values`}: ${Markdown.whole(summary.present)} present, ${Markdown.whole(summary.missing)} missing, ${Markdown.whole(summary.distinct)} different.`
  const notes = column.notes.map((note) => `Note: ${Markdown.note(note)}.`)
  if ("top" in summary) return [head, ...frequencyTable(summary), ...notes]
  if (summary.present === 0 || isLabel(column)) return [head, ...notes]
  return [head, ...(isDate(column) ? [dateRange(column, summary)] : figures(column, summary)), ...notes]
}

const frequencyTable = ({ present, top }: LabelSummary): ReadonlyArray<string> => {
  const body = top.map(([label, times]) => [
    Markdown.cell(label),
    Markdown.whole(times),
    Markdown.percent(times, present)
  ])
  return body.length === 0 ? [] : [Markdown.table(["Value", "Rows", "Share"], body)]
}

const dateRange = ({ timed }: DateColumn, { max, median, min }: NumberSummary): string => {
  const days = Markdown.plural(Math.round((max - min) / 86_400_000), "day")
  return `From ${Markdown.date(min, timed)} to ${Markdown.date(max, timed)} (${days}), the middle one is ${Markdown.date(median, timed)}.`
}

const figures = (column: NumericColumn, summary: NumberSummary): ReadonlyArray<string> => {
  const { unit } = column
  const show = (n: number): string => Markdown.number(n, unit)
  const table = Markdown.table(
    ["Figure", "Value"],
    [
      ["Minimum", show(summary.min)],
      ["First quartile", show(summary.firstQuartile)],
      ["Median", show(summary.median)],
      ["Mean", show(summary.mean)],
      ["Third quartile", show(summary.thirdQuartile)],
      ["Maximum", show(summary.max)],
      ["Standard deviation", show(summary.deviation)],
      ["Sum", show(summary.sum)]
    ]
  )
  const outliers =
    summary.outliers.count > 0
      ? outlierSentence(Markdown.bold(column.name), unit, summary)
      : "No outliers by the rule of 1.5 interquartile ranges."
  return [table, outliers]
}
