import { groupingLabel, groupRows, sortGroups, measureWords, type Group, type Grouping } from "../data/Aggregation.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import { isDate, isLabel, valueText, type Column, type NumericColumn, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import type { MeasureIntent } from "../question/Intent.ts"
import { countSentence } from "./RowSample.ts"
import { profileColumn } from "./TableProfile.ts"

/** Answers with one figure, or with one for each group. */
export const answerMeasure = (table: Table, rows: Rows, intent: MeasureIntent): ReadonlyArray<string> => {
  const column = intent.column === undefined ? undefined : table.columns[intent.column]
  const valueColumn = column !== undefined && !isLabel(column) ? column : undefined
  if (intent.by !== undefined || intent.limit !== undefined) {
    const by = table.columns[intent.by ?? intent.column ?? 0]
    return by === undefined ? [] : groupedFigures(rows, intent, by, column, valueColumn)
  }
  if (column === undefined) return [countSentence(table, rows)]
  if (valueColumn !== undefined && intent.measure !== "count") return [singleFigure(rows, intent, valueColumn)]
  const { distinct, present } = profileColumn(column, rows).summary
  return [
    `${Markdown.bold(column.name)} has a value in ${Markdown.plural(present, "row")}, ${Markdown.integer(distinct)} of them different.`
  ]
}

const singleFigure = (rows: Rows, intent: MeasureIntent, column: NumericColumn): string => {
  const { max, mean, median, min, missing, present, sum } = summariseNumbers(column, rows)
  if (present === 0) return `${Markdown.bold(column.name)} has no values in these rows.`
  const value = { count: present, sum, mean, median, min, max }[intent.measure]
  const missingNote = missing > 0 ? `; ${Markdown.plural(missing, "row has", "rows have")} none` : ""
  return `The ${measureName(intent, column)} is **${valueFormatter(intent, column)(value)}** (over ${Markdown.plural(present, "value")}${missingNote}).`
}

const groupedFigures = (
  rows: Rows,
  intent: MeasureIntent,
  by: Column,
  column: Column | undefined,
  valueColumn: NumericColumn | undefined
): ReadonlyArray<string> => {
  const grouping = groupRows(
    rows,
    by,
    intent.step,
    intent.measure === "count" ? undefined : valueColumn,
    intent.measure
  )
  const groupName = groupingLabel(by, intent.step)
  if (grouping.groups.length === 0) return [`There are no values to show by ${Markdown.bold(groupName)}.`]
  const format = valueFormatter(intent, valueColumn)
  const name = measureName(intent, column)
  const groups = [...sortGroups(by, grouping.groups)]
  if (intent.limit !== undefined) groups.sort((a, b) => (intent.largest ? b.value - a.value : a.value - b.value))
  const limit = intent.limit ?? MAX_GROUPS
  const withValues = valueColumn !== undefined && intent.measure !== "count"
  const header = [
    Markdown.escapeText(groupName),
    capitalise(name.replace(/\*\*/g, "")),
    ...(withValues ? ["Values"] : [])
  ]
  const body = groups
    .slice(0, limit)
    .map((group) => [
      Markdown.escapeText(group.label),
      format(group.value),
      ...(withValues ? [Markdown.integer(group.rows)] : [])
    ])
  const omittedCount = intent.limit === undefined ? Math.max(0, groups.length - limit) : 0
  return [
    `The ${name} by ${Markdown.bold(groupName)} ${extremes(by, grouping.groups, format)}.`,
    Markdown.table(header, body),
    ...omissionNotes(grouping, omittedCount, by, valueColumn)
  ]
}

const MAX_GROUPS = 25

const measureName = ({ measure }: MeasureIntent, column: Column | undefined): string =>
  measure === "count" || column === undefined
    ? "number of rows"
    : `${measureWords[measure]} ${Markdown.bold(column.name)}`

const valueFormatter =
  ({ measure }: MeasureIntent, column: NumericColumn | undefined) =>
  (value: number): string => {
    return measure === "count" || column === undefined ? Markdown.integer(value) : valueText(column, value)
  }

const omissionNotes = (
  { rowsWithoutGroup, rowsWithoutValue }: Grouping,
  omittedCount: number,
  by: Column,
  valueColumn: NumericColumn | undefined
): ReadonlyArray<string> => {
  const note = (count: number, column: Column, verb: string): string =>
    `_${Markdown.plural(count, "row has", "rows have")} no ${Markdown.escapeText(column.name)} and ${verb}._`
  return [
    ...(omittedCount > 0 ? [`_${Markdown.plural(omittedCount, "more group")} left out._`] : []),
    ...(rowsWithoutGroup > 0
      ? [note(rowsWithoutGroup, by, `${rowsWithoutGroup === 1 ? "is" : "are"} not in the table`)]
      : []),
    ...(rowsWithoutValue > 0 && valueColumn !== undefined
      ? [note(rowsWithoutValue, valueColumn, `${rowsWithoutValue === 1 ? "does" : "do"} not count`)]
      : [])
  ]
}

/** Where a figure is highest and lowest, after "The average price by region". */
const extremes = (by: Column, groups: ReadonlyArray<Group>, format: (value: number) => string): string => {
  const sorted = [...groups].sort((a, b) => b.value - a.value)
  const [high, low] = [sorted[0], sorted.at(-1)]
  if (high === undefined || low === undefined) return "has no values"
  const place = (group: Group): string => `${isDate(by) ? "in" : "for"} ${Markdown.escapeText(group.label)}`
  if (sorted.length === 1) return `is ${format(high.value)} ${place(high)}, the only one`
  if (high.value === low.value) return `is ${format(high.value)} for each of the ${sorted.length}`
  return `is highest ${place(high)} (${format(high.value)}) and lowest ${place(low)} (${format(low.value)})`
}
