import { hasMixedUnits } from "../data/Amounts.ts"
import { applyFilters, type Filter } from "../data/Filter.ts"
import type { Column, Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { usedColumns, type Part } from "../question/Intent.ts"
import { mixtureNotes } from "./AmountAnswer.ts"

/** What an answer must not hide: how the values of its columns were read, and conditions on several currencies. */
export const readingNotes = (
  table: Table,
  filters: ReadonlyArray<Filter>,
  { filters: added, intent }: Part
): ReadonlyArray<string> => {
  const conditions = added.flatMap(({ any }) => any.map(({ column }) => column))
  // A description has the notes on its column.
  const indexes = intent.kind === "describe" ? [] : usedColumns(intent)
  const used = table.columns.filter(({ name }, index) => indexes.includes(index) || conditions.includes(name))
  return [
    ...comparisonNotes(table, filters, added),
    ...used.filter((column) => !hasMixedUnits(column)).flatMap(columnNotes)
  ]
}

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
