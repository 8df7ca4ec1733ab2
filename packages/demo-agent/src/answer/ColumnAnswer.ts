import { DAY_MS } from "../data/Dates.ts"
import type { LabelSummary, NumberSummary } from "../data/Statistics.ts"
import {
  isDate,
  isIdentifier,
  isLabel,
  valueText,
  type DateColumn,
  type NumericColumn,
  type Rows,
  type Table
} from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { outlierSentence, profileColumn } from "./TableProfile.ts"

/** Describes the values of one column. */
export const describeColumn = (table: Table, rows: Rows, index: number): ReadonlyArray<string> => {
  const column = table.columns[index]
  if (column === undefined) return []
  const { summary } = profileColumn(column, rows)
  const name = Markdown.bold(column.name)
  const opening = `${name} holds ${column.kind === "empty" ? "nothing" : `${column.kind} values`}: ${Markdown.integer(summary.present)} present, ${Markdown.integer(summary.missing)} missing, ${Markdown.integer(summary.distinct)} different.`
  const notes = column.notes.map((note) => `Note: ${Markdown.escapeQuoted(note)}.`)
  if ("topLabels" in summary) return [opening, ...frequencyTable(summary), ...notes]
  if (summary.present === 0 || isLabel(column)) return [opening, ...notes]
  if (isIdentifier(column))
    return [opening, `From ${valueText(column, summary.min)} to ${valueText(column, summary.max)}.`, ...notes]
  return [opening, ...(isDate(column) ? [dateRange(column, summary)] : numberFigures(column, summary)), ...notes]
}

const frequencyTable = ({ present, topLabels }: LabelSummary): ReadonlyArray<string> => {
  const body = topLabels.map(([label, times]) => [
    Markdown.escapeText(label),
    Markdown.integer(times),
    Markdown.percent(times, present)
  ])
  return body.length === 0 ? [] : [Markdown.table(["Value", "Rows", "Share"], body)]
}

const dateRange = ({ hasTimeOfDay }: DateColumn, { max, median, min }: NumberSummary): string => {
  const days = Markdown.plural(Math.round((max - min) / DAY_MS), "day")
  return `From ${Markdown.date(min, hasTimeOfDay)} to ${Markdown.date(max, hasTimeOfDay)} (${days}), the middle one is ${Markdown.date(median, hasTimeOfDay)}.`
}

const numberFigures = (column: NumericColumn, summary: NumberSummary): ReadonlyArray<string> => {
  const { unit } = column
  const format = (n: number): string => Markdown.number(n, unit)
  const table = Markdown.table(
    ["Figure", "Value"],
    [
      ["Minimum", format(summary.min)],
      ["First quartile", format(summary.firstQuartile)],
      ["Median", format(summary.median)],
      ["Mean", format(summary.mean)],
      ["Third quartile", format(summary.thirdQuartile)],
      ["Maximum", format(summary.max)],
      ["Standard deviation", format(summary.standardDeviation)],
      ["Sum", format(summary.sum)]
    ]
  )
  const outliers =
    summary.outliers.count > 0
      ? outlierSentence(Markdown.bold(column.name), unit, summary)
      : "No outliers by the rule of 1.5 interquartile ranges."
  return [table, outliers]
}
