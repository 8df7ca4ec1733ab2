import { isDate, isLabel, isMissingAt, labelAt, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"

/** Rows as a Markdown table of at most six columns; says what is left out. */
export const sample = (table: Table, rows: Rows, limit: number, first?: Column): string => {
  const columns = chosenColumns(table, first)
  const body = [...rows.subarray(0, limit)].map((row) => columns.map((column) => cellText(column, row)))
  const left: Array<string> = []
  if (rows.length > limit) left.push(Markdown.plural(rows.length - limit, "more row"))
  const hidden = table.columns.filter((column) => !columns.includes(column))
  if (hidden.length > 0) {
    const names = hidden.slice(0, 8).map((column) => Markdown.cell(column.name))
    left.push(`${Markdown.plural(hidden.length, "column")} (${names.join(", ")}${hidden.length > 8 ? ", …" : ""})`)
  }
  const more = left.length > 0 ? `\n\n_Left out: ${left.join(" and ")}._` : ""
  return (
    Markdown.table(
      columns.map((column) => Markdown.cell(column.name)),
      body
    ) + more
  )
}

/** One cell as text, safe for a Markdown table. */
export const cellText = (column: Column, row: number): string => {
  if (isMissingAt(column, row)) return ""
  if (isLabel(column)) return Markdown.cell(labelAt(column, row))
  const value = column.values[row] ?? Number.NaN
  if (isDate(column)) return Markdown.date(value, column.timed)
  return isIdentifierName(column.name) ? String(value) : Markdown.number(value, column.unit)
}

const isIdentifierName = (name: string): boolean => /(^|[_ ])(id|nr|no|key|code|zip|plz|year)$/i.test(name)

/** At most six columns: the one asked about first, then in the order of the file. */
const chosenColumns = (table: Table, first: Column | undefined): ReadonlyArray<Column> => {
  const present = table.columns.filter((column) => column.kind !== "empty" && column !== first)
  const ordered = first === undefined ? present : [first, ...present]
  const chosen = new Set((ordered.length > 0 ? ordered : table.columns).slice(0, 6))
  return table.columns.filter((column) => chosen.has(column))
}

/** Says how many rows there are, and how many of them fit the filter. */
export const countSentence = (table: Table, rows: Rows): string =>
  rows.length === table.rowCount
    ? `There are ${Markdown.plural(table.rowCount, "row")}.`
    : `${Markdown.whole(rows.length)} of ${Markdown.plural(table.rowCount, "row")} ${rows.length === 1 ? "fits" : "fit"} (${Markdown.percent(rows.length, table.rowCount)}).`
