import { isLabel, isMissingAt, labelAt, valueText, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** Rows as a Markdown table of at most six columns; says what is left out. */
export const sampleTable = (table: Table, rows: Rows, limit: number, firstColumn?: Column): string => {
  const columns = selectColumns(table, firstColumn)
  const body = [...rows.subarray(0, limit)].map((row) => columns.map((column) => cellText(column, row)))
  const omitted: Array<string> = []
  if (rows.length > limit)
    omitted.push(
      Language.text(
        Markdown.plural(rows.length - limit, "more row"),
        `另外 ${Markdown.integer(rows.length - limit)} 行`
      )
    )
  const hiddenColumns = table.columns.filter((column) => !columns.includes(column))
  if (hiddenColumns.length > 0) {
    const names = hiddenColumns.slice(0, 8).map((column) => Markdown.escapeText(column.name))
    const list = `${names.join(", ")}${hiddenColumns.length > 8 ? ", …" : ""}`
    omitted.push(
      Language.text(
        `${Markdown.plural(hiddenColumns.length, "column")} (${list})`,
        `${hiddenColumns.length} 列（${list}）`
      )
    )
  }
  const omissionNote =
    omitted.length > 0
      ? `\n\n${Language.text(`_Left out: ${omitted.join(" and ")}._`, `_未列出：${omitted.join("和")}。_`)}`
      : ""
  return (
    Markdown.table(
      columns.map((column) => Markdown.escapeText(column.name)),
      body
    ) + omissionNote
  )
}

/** One cell as text, safe for a Markdown table. */
export const cellText = (column: Column, row: number): string => {
  if (isMissingAt(column, row)) return ""
  if (isLabel(column)) return Markdown.escapeText(labelAt(column, row))
  return valueText(column, column.values[row] ?? Number.NaN)
}

/** At most six columns in the order of the file; `firstColumn` is always among them. */
const selectColumns = (table: Table, firstColumn: Column | undefined): ReadonlyArray<Column> => {
  const present = table.columns.filter((column) => column.kind !== "empty" && column !== firstColumn)
  const ordered = firstColumn === undefined ? present : [firstColumn, ...present]
  const selection = new Set((ordered.length > 0 ? ordered : table.columns).slice(0, 6))
  return table.columns.filter((column) => selection.has(column))
}

/** Says how many rows there are, and how many of them match the filter. */
export const countSentence = (table: Table, rows: Rows): string =>
  rows.length === table.rowCount
    ? Language.text(
        `There are ${Markdown.plural(table.rowCount, "row")}.`,
        `共 ${Markdown.integer(table.rowCount)} 行。`
      )
    : Language.text(
        `${Markdown.integer(rows.length)} of ${Markdown.plural(table.rowCount, "row")} ${rows.length === 1 ? "fits" : "fit"} (${Markdown.percent(rows.length, table.rowCount)}).`,
        `${Markdown.integer(table.rowCount)} 行中有 ${Markdown.integer(rows.length)} 行符合（${Markdown.percent(rows.length, table.rowCount)}）。`
      )
