import {
  chineseMeasures,
  groupingLabel,
  groupRows,
  sortGroups,
  measureWords,
  type Group,
  type Grouping,
  type Measure
} from "../data/Aggregation.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import {
  isDate,
  isLabel,
  isMissingAt,
  valueText,
  type Column,
  type NumericColumn,
  type Rows,
  type Table
} from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import type { MeasureIntent } from "../question/Intent.ts"
import { countSentence } from "./RowSample.ts"
import { profileColumn } from "./TableProfile.ts"

/** Answers with one figure, or with one for each group. */
export const answerMeasure = (table: Table, rows: Rows, intent: MeasureIntent): ReadonlyArray<string> => {
  const column = intent.column === undefined ? undefined : table.columns[intent.column]
  const valueColumn = column !== undefined && !isLabel(column) ? column : undefined
  const by = intent.by === undefined ? undefined : table.columns[intent.by]
  if (by !== undefined)
    return intent.measure === "count" && column !== undefined
      ? groupedCounts(rows, intent, by, column)
      : groupedFigures(rows, intent, by, valueColumn)
  if (column === undefined) return [countSentence(table, rows)]
  if (valueColumn !== undefined && intent.measure !== "count") return [singleFigure(rows, intent, valueColumn)]
  const { distinct, present } = profileColumn(column, rows).summary
  const name = Markdown.bold(column.name)
  return [
    Language.text(
      `${name} has a value in ${Markdown.plural(present, "row")}, ${Markdown.integer(distinct)} of them different.`,
      `${name} 在 ${Markdown.integer(present)} 行里有值，其中 ${Markdown.integer(distinct)} 个不同。`
    )
  ]
}

const singleFigure = (rows: Rows, intent: MeasureIntent, column: NumericColumn): string => {
  const { missing, present } = summariseNumbers(column, rows)
  if (present === 0)
    return Language.text(
      `${Markdown.bold(column.name)} has no values in these rows.`,
      `${Markdown.bold(column.name)} 在这些行里没有值。`
    )
  const [name, figure] = [
    measureName(intent, column),
    valueFormatter(intent, column)(figureOf(column, rows, intent.measure))
  ]
  const note = missingNote(missing)
  return Language.text(
    `The ${name} is **${figure}** (over ${Markdown.plural(present, "value")}${note}).`,
    `${name} 是 **${figure}**（共 ${Markdown.integer(present)} 个值${note}）。`
  )
}

/** One figure of a column over some rows. */
export const figureOf = (column: NumericColumn, rows: Rows, measure: Measure): number => {
  const { max, mean, median, min, present, sum } = summariseNumbers(column, rows)
  return { count: present, sum, mean, median, min, max }[measure]
}

/** Says after a figure how many rows have no value. */
export const missingNote = (missing: number): string =>
  missing > 0
    ? Language.text(
        `; ${Markdown.plural(missing, "row has", "rows have")} none`,
        `；${Markdown.integer(missing)} 行没有值`
      )
    : ""

const groupedFigures = (
  rows: Rows,
  intent: MeasureIntent,
  by: Column,
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
  if (grouping.groups.length === 0)
    return [
      Language.text(
        `There are no values to show by ${Markdown.bold(groupName)}.`,
        `没有可以按 ${Markdown.bold(groupName)} 显示的值。`
      )
    ]
  const format = valueFormatter(intent, valueColumn)
  const name = measureName(intent, valueColumn)
  const groups = ordered(intent, by, grouping.groups)
  const limit = intent.limit ?? MAX_GROUPS
  const withValues = valueColumn !== undefined && intent.measure !== "count"
  const header = [
    Markdown.escapeText(groupName),
    capitalise(name.replace(/\*\*/g, "")),
    ...(withValues ? [Language.text("Values", "值的个数")] : [])
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
    Language.text(
      `The ${name} by ${Markdown.bold(groupName)} ${extremes(by, grouping.groups, format)}.`,
      `按 ${Markdown.bold(groupName)} 的${name}：${chineseExtremes(grouping.groups, format)}。`
    ),
    Markdown.table(header, body),
    ...omissionNotes(grouping, omittedCount, by, valueColumn)
  ]
}

const MAX_GROUPS = 25

const ordered = ({ order }: MeasureIntent, by: Column, groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const sorted = sortGroups(by, groups)
  return order === undefined
    ? sorted
    : sorted.toSorted((a, b) => (order === "largest" ? b.value - a.value : a.value - b.value))
}

/** How many rows of each group have a value in a column, and how many of the values differ. */
const groupedCounts = (rows: Rows, intent: MeasureIntent, by: Column, column: Column): ReadonlyArray<string> => {
  const present = rows.filter((row) => !isMissingAt(column, row))
  const grouping = groupRows(present, by, intent.step, undefined, "count")
  const groups = ordered(intent, by, grouping.groups)
  const limit = intent.limit ?? MAX_GROUPS
  const groupName = groupingLabel(by, intent.step)
  const [name, bold] = [Markdown.escapeText(column.name), Markdown.bold(column.name)]
  const body = groups.slice(0, limit).map(({ label, members }) => {
    const different = new Set([...members].map((row) => (isLabel(column) ? column.codes[row] : column.values[row])))
      .size
    return [Markdown.escapeText(label), Markdown.integer(members.length), Markdown.integer(different)]
  })
  const omitted = intent.limit === undefined ? Math.max(0, groups.length - limit) : 0
  return [
    Language.text(
      `The rows with a ${bold} and its different values by ${Markdown.bold(groupName)}:`,
      `按 ${Markdown.bold(groupName)} 的有 ${bold} 的行数和不同的值的个数：`
    ),
    Markdown.table(
      [
        Markdown.escapeText(groupName),
        Language.text(`Rows with ${name}`, `有 ${name} 的行`),
        Language.text(`Different ${name}`, `不同的 ${name}`)
      ],
      body
    ),
    ...omissionNotes({ ...grouping, rowsWithoutValue: rows.length - present.length }, omitted, by, column)
  ]
}

/** The name of a figure, such as "total **price**". */
export const measureName = ({ measure }: MeasureIntent, column: Column | undefined): string =>
  measure === "count" || column === undefined
    ? Language.text("number of rows", "行数")
    : Language.text(
        `${measureWords[measure]} ${Markdown.bold(column.name)}`,
        `${chineseMeasures[measure]} ${Markdown.bold(column.name)}`
      )

const valueFormatter =
  ({ measure }: MeasureIntent, column: NumericColumn | undefined) =>
  (value: number): string => {
    return measure === "count" || column === undefined ? Markdown.integer(value) : valueText(column, value)
  }

/** Says which rows and groups a table of figures leaves out. */
export const omissionNotes = (
  { rowsWithoutGroup, rowsWithoutValue }: Grouping,
  omittedCount: number,
  by: Column,
  valueColumn: Column | undefined
): ReadonlyArray<string> => {
  const note = (count: number, column: Column, verb: string, chinese: string): string =>
    Language.text(
      `_${Markdown.plural(count, "row has", "rows have")} no ${Markdown.escapeText(column.name)} and ${verb}._`,
      `_${Markdown.integer(count)} 行没有 ${Markdown.escapeText(column.name)}，${chinese}。_`
    )
  return [
    ...(omittedCount > 0
      ? [
          Language.text(
            `_${Markdown.plural(omittedCount, "more group")} left out._`,
            `_另有 ${Markdown.integer(omittedCount)} 组未列出。_`
          )
        ]
      : []),
    ...(rowsWithoutGroup > 0
      ? [note(rowsWithoutGroup, by, `${rowsWithoutGroup === 1 ? "is" : "are"} not in the table`, "不在表中")]
      : []),
    ...(rowsWithoutValue > 0 && valueColumn !== undefined
      ? [note(rowsWithoutValue, valueColumn, `${rowsWithoutValue === 1 ? "does" : "do"} not count`, "不计入")]
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

/** The same after "按 region 的平均 price：". */
const chineseExtremes = (groups: ReadonlyArray<Group>, format: (value: number) => string): string => {
  const sorted = [...groups].sort((a, b) => b.value - a.value)
  const [high, low] = [sorted[0], sorted.at(-1)]
  if (high === undefined || low === undefined) return "没有值"
  const [highest, lowest] = [high, low].map(({ label, value }) => `${Markdown.escapeText(label)}（${format(value)}）`)
  if (sorted.length === 1) return `只有 ${highest}`
  return high.value === low.value
    ? `${sorted.length} 组都是 ${format(high.value)}`
    : `最高的是 ${highest}，最低的是 ${lowest}`
}
