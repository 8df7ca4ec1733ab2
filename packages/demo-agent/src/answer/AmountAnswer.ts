import { groupingLabel, groupRows, sortGroups, type Group } from "../data/Aggregation.ts"
import { presentValues } from "../data/Statistics.ts"
import { valueText, type Column, type NumberColumn, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { MeasureIntent } from "../question/Intent.ts"
import { figureOf, measureName, missingNote, omissionNotes } from "./MeasureAnswer.ts"

/** Answers with one figure for each currency of a column, or with those of each group. */
export const answerAmounts = (
  table: Table,
  rows: Rows,
  intent: MeasureIntent,
  { byUnit, column }: { readonly column: Column; readonly byUnit: ReadonlyArray<NumberColumn> }
): ReadonlyArray<string> => {
  const units = byUnit.filter((unit) => presentValues(unit, rows).length > 0)
  const by = intent.by === undefined ? undefined : table.columns[intent.by]
  return by === undefined ? [figures(rows, intent, column, units)] : groupedFigures(rows, intent, { by, column, units })
}

const figures = (rows: Rows, intent: MeasureIntent, column: Column, units: ReadonlyArray<NumberColumn>): string => {
  const each = units.map((unit) => `**${valueText(unit, figureOf(unit, rows, intent.measure))}**`)
  const present = units.reduce((sum, unit) => sum + presentValues(unit, rows).length, 0)
  const name = measureName(intent, column)
  if (present === 0) return Language.text(`There is no ${name} in these rows.`, `这些行里没有${name}。`)
  const missing = missingNote(rows.length - present)
  return Language.text(
    `The ${name} is ${Markdown.joinWords(each)}${units.length > 1 ? ": one for each currency, because they cannot be added up" : ""} (over ${Markdown.plural(present, "value")}${missing}).`,
    `${name} 是 ${Markdown.joinWords(each)}${units.length > 1 ? "：每种货币分别计算，因为它们不能相加" : ""}（共 ${Markdown.integer(present)} 个值${missing}）。`
  )
}

interface Grouped {
  readonly by: Column
  readonly column: Column
  readonly units: ReadonlyArray<NumberColumn>
}

const groupedFigures = (rows: Rows, intent: MeasureIntent, { by, column, units }: Grouped): ReadonlyArray<string> => {
  const groupings = units.map((unit) => ({ unit, ...groupRows(rows, by, intent.step, unit, intent.measure) }))
  const groupByKey = new Map<number, Group>()
  for (const group of groupings.flatMap(({ groups }) => groups)) {
    const rows = (groupByKey.get(group.key)?.rows ?? 0) + group.rows
    groupByKey.set(group.key, { ...group, rows, value: rows })
  }
  const groups = sortGroups(by, [...groupByKey.values()])
  const [groupName, name] = [groupingLabel(by, intent.step), measureName(intent, column)]
  const body = groups.slice(0, MAX_GROUPS).map(({ key, label }) => [
    Markdown.escapeText(label),
    ...groupings.map(({ groups, unit }) => {
      const group = groups.find((each) => each.key === key)
      return group === undefined ? "–" : valueText(unit, group.value)
    })
  ])
  const header = [groupName, ...units.map(({ unit }) => unit ?? Language.text("no currency", "无货币"))]
  const rowsWithoutGroup = groupings[0]?.rowsWithoutGroup ?? 0
  const measured = groups.reduce((sum, group) => sum + group.rows, 0)
  return [
    Language.text(
      `The ${name} by ${Markdown.bold(groupName)}, one for each currency, because they cannot be added up:`,
      `按 ${Markdown.bold(groupName)} 的${name}，每种货币分别计算，因为它们不能相加：`
    ),
    Markdown.table(
      header.map((each) => Markdown.escapeText(each)),
      body
    ),
    ...omissionNotes(
      { groups, rowsWithoutGroup, rowsWithoutValue: rows.length - rowsWithoutGroup - measured },
      Math.max(0, groups.length - MAX_GROUPS),
      by,
      column
    )
  ]
}

const MAX_GROUPS = 25
