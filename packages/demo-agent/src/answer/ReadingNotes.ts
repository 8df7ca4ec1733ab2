import { hasMixedUnits } from "../data/Amounts.ts"
import { applyFilters, type Filter } from "../data/Filter.ts"
import { isLabel, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { usedColumns, type ParsedRequest } from "../question/Intent.ts"
import { mixtureNotes } from "./AmountAnswer.ts"

/** What an answer must not hide: how the values of its columns were read, conditions on several currencies, sums among the rows. */
export const readingNotes = (
  table: Table,
  filters: ReadonlyArray<Filter>,
  { filters: added, intent, otherIntents = [] }: ParsedRequest
): ReadonlyArray<string> => {
  const conditions = added.flatMap(({ any }) => any.map(({ column }) => column))
  // A description has the notes on its column.
  const indexes = [intent, ...otherIntents].filter(({ kind }) => kind !== "describe").flatMap(usedColumns)
  const used = table.columns.filter(({ name }, index) => indexes.includes(index) || conditions.includes(name))
  const rows = applyFilters(table, filters)
  return [
    ...comparisonNotes(table, filters, added),
    ...used.filter((column) => !hasMixedUnits(column)).flatMap(columnNotes),
    ...(COUNTS_ROWS.test(intent.kind) ? sumRowNotes(table, rows) : [])
  ]
}

/** Says that rows which sum up others count as well, and how to leave them out. */
export const sumRowNotes = (table: Table, rows: Rows): ReadonlyArray<string> => {
  for (const column of table.columns) {
    if (!isLabel(column)) continue
    const codes = new Set(column.labels.flatMap((label, at) => (SUM_ROW.test(label) ? [at + 1] : [])))
    const row = codes.size === 0 ? undefined : rows.find((each) => codes.has(column.codes[each] ?? 0))
    if (row === undefined) continue
    const label = Markdown.escapeText(column.labels[(column.codes[row] ?? 0) - 1] ?? "")
    const [bold, name] = [Markdown.bold(column.name), Markdown.escapeText(column.name)]
    return [
      Language.text(
        `The row “${label}” in ${bold} counts like the others. If it sums them up, say “exclude rows where ${name} is ${label}”.`,
        `${bold} 里的“${label}”行与其他行一样计入。如果它是其他行的合计，请说“排除 ${name} 为 ${label} 的行”。`
      )
    ]
  }
  return []
}

const SUM_ROW = /^(?:(?:grand |sub-?)?total|subtotal|sum|summe|gesamt|合计|总计|小计|汇总)s?:?$/i

const COUNTS_ROWS = /^(?:rows|count|table|top|describe|measure|chart|outliers)$/

const columnNotes = ({ name, notes }: Column): ReadonlyArray<string> =>
  notes.map((note) => {
    const [bold, text] = [Markdown.bold(name), Markdown.escapeQuoted(note)]
    return Language.text(`${bold}: ${text}.`, `${bold}：${text}。`)
  })

/** Says of each new condition that compares amounts of several currencies that it does. */
const comparisonNotes = (
  table: Table,
  filters: ReadonlyArray<Filter>,
  added: ReadonlyArray<Filter>
): ReadonlyArray<string> => {
  const compared = (each: ReadonlyArray<Filter>) =>
    each.flatMap(({ any }) => any.flatMap(({ column, operator }) => (COMPARES.test(operator) ? [column] : [])))
  const names = compared(added)
  if (names.length === 0) return []
  const rows = applyFilters(
    table,
    filters.filter((filter) => compared([filter]).length === 0)
  )
  return mixtureNotes(
    rows,
    table.columns.filter(({ name }) => names.includes(name))
  ).map((note) => Language.text(`${note} The condition compares the numbers alone.`, `${note}这个条件只比较数字本身。`))
}

const COMPARES = /^(?:[<>]=?|between)$/
