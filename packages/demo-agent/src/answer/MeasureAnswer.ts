import { groupingLabel, groupRows, inOrder, measureWord, type Group, type Grouping } from "../data/Aggregation.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import { isDate, isLabel, type Column, type NumericColumn, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import type { MeasureIntent } from "../question/Intent.ts"
import { countSentence } from "./RowSample.ts"
import { profileColumn } from "./TableProfile.ts"

/** Answers with one figure, or with one for each group. */
export const answerMeasure = (table: Table, rows: Rows, intent: MeasureIntent): ReadonlyArray<string> => {
  const column = intent.column === undefined ? undefined : table.columns[intent.column]
  const measured = column !== undefined && !isLabel(column) ? column : undefined
  if (intent.by !== undefined || intent.limit !== undefined) {
    const by = table.columns[intent.by ?? intent.column ?? 0]
    return by === undefined ? [] : groupedFigures(rows, intent, by, column, measured)
  }
  if (column === undefined) return [countSentence(table, rows)]
  if (measured !== undefined && intent.measure !== "count") return [singleFigure(rows, intent, measured)]
  const { distinct, present } = profileColumn(column, rows).summary
  return [
    `${Markdown.bold(column.name)} has a value in ${Markdown.plural(present, "row")}, ${Markdown.whole(distinct)} of them different.`
  ]
}

const singleFigure = (rows: Rows, intent: MeasureIntent, column: NumericColumn): string => {
  const { max, mean, median, min, missing, present, sum } = summariseNumbers(column, rows)
  if (present === 0) return `${Markdown.bold(column.name)} has no values in these rows.`
  const value = { count: present, sum, mean, median, min, max }[intent.measure]
  const without = missing > 0 ? `; ${Markdown.plural(missing, "row has", "rows have")} none` : ""
  return `The ${nameOf(intent, column)} is **${formatOf(intent, column)(value)}** (over ${Markdown.plural(present, "value")}${without}).`
}

const groupedFigures = (
  rows: Rows,
  intent: MeasureIntent,
  by: Column,
  column: Column | undefined,
  measured: NumericColumn | undefined
): ReadonlyArray<string> => {
  const grouping = groupRows(rows, by, intent.step, intent.measure === "count" ? undefined : measured, intent.measure)
  const over = groupingLabel(by, intent.step)
  if (grouping.groups.length === 0) return [`There are no values to show by ${Markdown.bold(over)}.`]
  const show = formatOf(intent, measured)
  const name = nameOf(intent, column)
  const ordered = [...inOrder(by, grouping.groups)]
  if (intent.limit !== undefined) ordered.sort((a, b) => (intent.largest ? b.value - a.value : a.value - b.value))
  const limit = intent.limit ?? MAX_GROUPS
  const withValues = measured !== undefined && intent.measure !== "count"
  const header = [Markdown.cell(over), capitalise(name.replace(/\*\*/g, "")), ...(withValues ? ["Values"] : [])]
  const body = ordered
    .slice(0, limit)
    .map((group) => [
      Markdown.cell(group.label),
      show(group.value),
      ...(withValues ? [Markdown.whole(group.rows)] : [])
    ])
  const cut = intent.limit === undefined ? Math.max(0, ordered.length - limit) : 0
  return [
    `The ${name} by ${Markdown.bold(over)} ${extremes(by, grouping.groups, show)}.`,
    Markdown.table(header, body),
    ...leftOutNotes(grouping, cut, by, measured)
  ]
}

const MAX_GROUPS = 25

const nameOf = ({ measure }: MeasureIntent, column: Column | undefined): string =>
  measure === "count" || column === undefined
    ? "number of rows"
    : `${measureWord[measure]} ${Markdown.bold(column.name)}`

const formatOf =
  ({ measure }: MeasureIntent, column: NumericColumn | undefined) =>
  (value: number): string => {
    if (measure === "count" || column === undefined) return Markdown.whole(value)
    return isDate(column) ? Markdown.date(value, column.timed) : Markdown.number(value, column.unit)
  }

const leftOutNotes = (
  { ungrouped, unmeasured }: Grouping,
  cut: number,
  by: Column,
  measured: NumericColumn | undefined
): ReadonlyArray<string> => {
  const without = (count: number, column: Column, verb: string): string =>
    `_${Markdown.plural(count, "row has", "rows have")} no ${Markdown.cell(column.name)} and ${verb}._`
  return [
    ...(cut > 0 ? [`_${Markdown.plural(cut, "more group")} left out._`] : []),
    ...(ungrouped > 0 ? [without(ungrouped, by, `${ungrouped === 1 ? "is" : "are"} not in the table`)] : []),
    ...(unmeasured > 0 && measured !== undefined
      ? [without(unmeasured, measured, `${unmeasured === 1 ? "does" : "do"} not count`)]
      : [])
  ]
}

/** Where a figure is highest and lowest, after "The average price by region". */
const extremes = (by: Column, groups: ReadonlyArray<Group>, show: (value: number) => string): string => {
  const sorted = [...groups].sort((a, b) => b.value - a.value)
  const [high, low] = [sorted[0], sorted.at(-1)]
  if (high === undefined || low === undefined) return "has no values"
  const place = (group: Group): string => `${isDate(by) ? "in" : "for"} ${Markdown.cell(group.label)}`
  if (sorted.length === 1) return `is ${show(high.value)} ${place(high)}, the only one`
  if (high.value === low.value) return `is ${show(high.value)} for each of the ${sorted.length}`
  return `is highest ${place(high)} (${show(high.value)}) and lowest ${place(low)} (${show(low.value)})`
}
