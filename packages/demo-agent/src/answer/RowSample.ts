import { isLabel, isMissingAt, labelAt, valueText, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as TableWidth from "../format/TableWidth.ts"

/** Rows as a Markdown table that fits a phone or, with many columns, a screen; says what is left out. */
export const sampleTable = (table: Table, rows: Rows, limit: number, firstColumn?: Column): string => {
  const shown = fitColumns(table, rows.subarray(0, limit), firstColumn)
  const columns = shown.map(({ column }) => column)
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
  const notes = [
    ...(omitted.length > 0
      ? [Language.text(`Left out: ${omitted.join(" and ")}.`, `未列出：${omitted.join("和")}。`)]
      : []),
    ...(shown.some(({ isCut }) => isCut)
      ? [Language.text("“…” stands for the rest of a text.", "“…”表示省略的文字。")]
      : [])
  ]
  const [header = [], ...body] = [0, ...rows.subarray(0, limit)].map((_, line) =>
    shown.map(({ cells }) => cells[line] ?? "")
  )
  return Markdown.table(header, body) + (notes.length > 0 ? `\n\n_${notes.join(Language.text(" ", ""))}_` : "")
}

/** One cell as text, safe for a Markdown table. */
export const cellText = (column: Column, row: number): string => {
  if (isMissingAt(column, row)) return ""
  if (isLabel(column)) return Markdown.escapeText(labelAt(column, row))
  return valueText(column, column.values[row] ?? Number.NaN)
}

/** A column with its cells, the name first. */
interface ShownColumn {
  readonly column: Column
  readonly cells: ReadonlyArray<string>
  readonly isCut: boolean
}

/** The columns of the file, with shortened texts, that fit side by side; `firstColumn` is always among them. */
const fitColumns = (table: Table, rows: Rows, firstColumn: Column | undefined): ReadonlyArray<ShownColumn> => {
  const present = table.columns.filter((column) => column.kind !== "empty" || column === firstColumn)
  let columns = (present.length > 0 ? present : table.columns).slice(0, maxColumns)
  if (firstColumn !== undefined && !columns.includes(firstColumn)) columns = [firstColumn, ...columns.slice(1)]
  for (;;) {
    const fitted = attempts(columns.length).find(({ room, width }) => {
      const shown = columns.map((column) => showColumn(column, rows, room))
      return TableWidth.ofColumns(shown.map(({ cells }) => cells)) <= width
    })
    if (fitted !== undefined || columns.length <= 1)
      return columns.map((column) => showColumn(column, rows, fitted?.room ?? TableWidth.phone))
    const dropped = columns.findLast((column) => column !== firstColumn)
    columns = columns.filter((column) => column !== dropped)
  }
}

/** The rooms of a text to try: a table of a phone's width before one of a screen's. */
const attempts = (columns: number): ReadonlyArray<{ readonly room: number; readonly width: number }> => [
  ...[36, 24, 16, 12].map((room) => ({ room, width: TableWidth.phone })),
  ...(columns < 4 ? [] : [24, 16, 12, 10, 8].map((room) => ({ room, width: TableWidth.screen })))
]

/** More columns never fit a screen. */
const maxColumns = 26

/** A column whose texts have at most that room. Figures are never cut, and a name has at least their width. */
const showColumn = (column: Column, rows: Rows, room: number): ShownColumn => {
  const whole = [...rows].map((row) => (isLabel(column) ? labelAt(column, row) : cellText(column, row)))
  const cells = isLabel(column) ? whole.map((text) => TableWidth.fitStart(text, room)) : whole
  const name = TableWidth.fitStart(column.name, Math.max(room, ...cells.map(TableWidth.of)))
  const isCut = [name, ...cells].some(
    (cell, line) => cell.endsWith("…") && ![column.name, ...whole][line]?.endsWith("…")
  )
  return { column, cells: [name, ...cells], isCut }
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
