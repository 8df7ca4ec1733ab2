import { group } from "d3-array"
import { amountsOf, mixtureText, partName, partText, type AmountPart, type Amounts } from "../data/Amounts.ts"
import { groupingLabel, groupRows, sortGroups, type Group } from "../data/Aggregation.ts"
import { isNumber, valueText, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import type { MeasureIntent } from "../question/Intent.ts"
import { figureOf, measureName, missingNote, omissionNotes } from "./MeasureAnswer.ts"

/** A column with its numbers apart by their currencies or units. */
export interface MixedColumn {
  readonly column: Column
  readonly amounts: Amounts
}

/** Answers with one figure for each currency or unit of a column, or with those of each group. */
export const answerAmounts = (
  table: Table,
  rows: Rows,
  intent: MeasureIntent,
  mixed: MixedColumn
): ReadonlyArray<string> => {
  const { amounts, column } = mixed
  const by = intent.by === undefined ? undefined : table.columns[intent.by]
  if (by !== undefined)
    return namesUnitsOf(by, column) ? figureTable(rows, intent, mixed) : groupedFigures(rows, intent, by, mixed)
  const present = amounts.parts.reduce((sum, part) => sum + part.rows.length, 0)
  const name = measureName(intent, column)
  if (present === 0) return [Language.text(`There is no ${name} in these rows.`, `这些行里没有${name}。`)]
  if (amounts.parts.length > MAX_SIDE_BY_SIDE) return figureTable(rows, intent, mixed)
  const figures = amounts.parts.map((part) => partText(amounts, part, figureOf(part.column, part.rows, intent.measure)))
  const missing = missingNote(rows.length - present)
  const [apart, chineseApart] =
    amounts.parts.length > 1 ? [`: ${reasonFor(amounts)}`, `：${reasonFor(amounts)}`] : ["", ""]
  return [
    Language.text(
      `The ${name} is ${Markdown.joinWords(figures)}${apart} (over ${Markdown.plural(present, "value")}${missing}).`,
      `${name} 是 ${Markdown.joinWords(figures)}${chineseApart}（共 ${Markdown.integer(present)} 个值${missing}）。`
    )
  ]
}

/** Says which of these columns are in several currencies or units, so that their numbers are apart. */
export const mixtureNotes = (rows: Rows, columns: ReadonlyArray<Column | undefined>): ReadonlyArray<string> => {
  const mixed = columns.flatMap((column) => {
    const amounts = amountsOf(column, rows)
    return column === undefined || !isNumber(column) || amounts === undefined ? [] : [{ amounts, column }]
  })
  return [...group(mixed, ({ column }) => column.rowUnits).values()].flatMap((each) =>
    each[0] === undefined
      ? []
      : [
          mixtureText(
            each.map(({ column }) => column),
            each[0].amounts
          )
        ]
  )
}

/** Tells whether a column names the currencies or units of another. */
export const namesUnitsOf = (by: Column, column: Column): boolean =>
  isNumber(column) && column.rowUnits?.sources.length === 1 && column.rowUnits.sources[0] === by.name

const reasonFor = ({ noun }: Amounts): string =>
  noun === "currency"
    ? Language.text("one for each currency, because they cannot be added up", "每种货币分别计算，因为它们不能相加")
    : Language.text("one for each unit, because they cannot be added up", "每种单位分别计算，因为它们不能相加")

/** A line for each currency or unit. */
const figureTable = (rows: Rows, intent: MeasureIntent, { amounts, column }: MixedColumn): ReadonlyArray<string> => {
  const { parts } = amounts
  const name = measureName(intent, column)
  const present = parts.reduce((sum, part) => sum + part.rows.length, 0)
  const header = [nounOf(amounts), ...figureHeader(name)]
  const body = parts.map((part) => [partName(amounts, part), ...figureCells(intent, part, part.rows)])
  return [
    Language.text(`The ${name}, ${reasonFor(amounts)}:`, `${name}，${reasonFor(amounts)}：`),
    Markdown.table(header, body.slice(0, MAX_LINES)),
    ...omissionNotes(
      { groups: [], rowsWithoutGroup: 0, rowsWithoutValue: rows.length - present },
      Math.max(0, body.length - MAX_LINES),
      column,
      column
    )
  ]
}

/** The figures of each group: the currencies or units side by side, or below each other where they are many. */
const groupedFigures = (
  rows: Rows,
  intent: MeasureIntent,
  by: Column,
  { amounts, column }: MixedColumn
): ReadonlyArray<string> => {
  const groupings = amounts.parts.map((part) => ({
    part,
    groups: groupRows(part.rows, by, intent.step, part.column, intent.measure).groups
  }))
  const groupByKey = new Map<number, Group>()
  for (const group of groupings.flatMap(({ groups }) => groups)) {
    const rows = (groupByKey.get(group.key)?.rows ?? 0) + group.rows
    groupByKey.set(group.key, { ...group, rows, value: rows })
  }
  const groups = sortGroups(by, [...groupByKey.values()])
  const { rowsWithoutGroup } = groupRows(rows, by, intent.step, undefined, "count")
  const measured = groups.reduce((sum, group) => sum + group.rows, 0)
  const [groupName, name] = [groupingLabel(by, intent.step), measureName(intent, column)]
  const isWide = amounts.parts.length > MAX_SIDE_BY_SIDE
  const body = groups.flatMap(({ key, label }) => {
    const figures = groupings.map(({ groups, part }) => ({ part, group: groups.find((each) => each.key === key) }))
    const first = Markdown.escapeText(label)
    return isWide
      ? figures.flatMap(({ group, part }) =>
          group === undefined
            ? []
            : [[first, partName(amounts, part), valueText(part.column, group.value), Markdown.integer(group.rows)]]
        )
      : [
          [
            first,
            ...figures.map(({ group, part }) => (group === undefined ? "–" : valueText(part.column, group.value)))
          ]
        ]
  })
  const header = isWide
    ? [nounOf(amounts), ...figureHeader(name)]
    : amounts.parts.map((part) => partName(amounts, part))
  return [
    Language.text(
      `The ${name} by ${Markdown.bold(groupName)}, ${reasonFor(amounts)}:`,
      `按 ${Markdown.bold(groupName)} 的${name}，${reasonFor(amounts)}：`
    ),
    Markdown.table([Markdown.escapeText(groupName), ...header], body.slice(0, MAX_LINES)),
    ...omissionNotes(
      { groups, rowsWithoutGroup, rowsWithoutValue: rows.length - rowsWithoutGroup - measured },
      Math.max(0, body.length - MAX_LINES),
      by,
      column
    )
  ]
}

const nounOf = ({ noun }: Amounts): string =>
  noun === "currency" ? Language.text("Currency", "货币") : Language.text("Unit", "单位")

const figureHeader = (name: string): ReadonlyArray<string> => [
  capitalise(name.replace(/\*\*/g, "")),
  Language.text("Values", "值的个数")
]

const figureCells = (intent: MeasureIntent, { column }: AmountPart, rows: Rows): ReadonlyArray<string> => [
  valueText(column, figureOf(column, rows, intent.measure)),
  Markdown.integer(rows.length)
]

/** More currencies are below each other. */
const MAX_SIDE_BY_SIDE = 5
const MAX_LINES = 25
