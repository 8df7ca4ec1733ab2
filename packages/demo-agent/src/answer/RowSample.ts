import { isLabel, isMissingAt, labelAt, valueText, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as TableWidth from "../format/TableWidth.ts"

/** Rows as a Markdown table that fits a phone or, with many columns, a screen or two; says what is left out. */
export const sampleTable = (table: Table, rows: Rows, limit: number, firstColumn?: Column): string => {
  const sample = rows.subarray(0, limit)
  const present = table.columns.filter((column) => column.kind !== "empty" || column === firstColumn)
  const first = fitColumns(present.length > 0 ? present : table.columns, sample, firstColumn)
  const isIn = (tables: ReadonlyArray<ReadonlyArray<ShownColumn>>, column: Column): boolean =>
    tables.some((shown) => shown.some((each) => each.column === column))
  const [lead] = first
  const others = present.filter((column) => !isIn([first], column))
  const tables =
    lead === undefined || others.length === 0
      ? [first]
      : [first, fitColumns([lead.column, ...others], sample, lead.column)]
  const omitted: Array<string> = []
  if (rows.length > limit)
    omitted.push(
      Language.text(
        Markdown.plural(rows.length - limit, "more row"),
        `另外 ${Markdown.integer(rows.length - limit)} 行`
      )
    )
  const hidden = table.columns.filter((column) => !isIn(tables, column))
  if (hidden.length > 0) {
    const names = hidden.slice(0, MAX_NAMES).map((column) => Markdown.escapeText(column.name))
    const list = `${names.join(Language.text(", ", "、"))}${hidden.length > MAX_NAMES ? Language.text(", …", "……") : ""}`
    omitted.push(
      Language.text(`${Markdown.plural(hidden.length, "column")} (${list})`, ` ${hidden.length} 列（${list}）`)
    )
  }
  const notes = [
    ...(omitted.length > 0
      ? [Language.text(`Left out: ${omitted.join(" and ")}.`, `未列出：${omitted.join("和").trim()}。`)]
      : []),
    ...(tables.flat().some(({ isCut }) => isCut)
      ? [Language.text("“…” stands for the rest of a text.", "“…”表示省略的文字。")]
      : [])
  ]
  const blocks = tables.map((shown) => {
    const [header = [], ...body] = [0, ...sample].map((_, line) => shown.map(({ cells }) => cells[line] ?? ""))
    return Markdown.table(header, body)
  })
  return [...blocks, ...(notes.length > 0 ? [`_${notes.join(Language.text(" ", ""))}_`] : [])].join("\n\n")
}

const MAX_NAMES = 30

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

/** The columns, with shortened texts, that fit side by side; `firstColumn` is always among them. */
const fitColumns = (
  all: ReadonlyArray<Column>,
  rows: Rows,
  firstColumn: Column | undefined
): ReadonlyArray<ShownColumn> => {
  let columns = all.slice(0, maxColumns)
  if (firstColumn !== undefined && !columns.includes(firstColumn)) columns = [firstColumn, ...columns.slice(1)]
  for (;;) {
    const fitted = attempts(columns.length, columns.length === all.length).find(({ room, width }) => {
      const shown = columns.map((column) => showColumn(column, rows, room))
      return TableWidth.ofColumns(shown.map(({ cells }) => cells)) <= width
    })
    if (fitted !== undefined || columns.length <= 1)
      return columns.map((column) => showColumn(column, rows, fitted?.room ?? TableWidth.phone))
    const dropped = columns.findLast((column) => column !== firstColumn)
    columns = columns.filter((column) => column !== dropped)
  }
}

/** The rooms of a text to try: a table of a phone's width before one of a screen's. The smallest is for all columns only. */
const attempts = (
  columns: number,
  areAll: boolean
): ReadonlyArray<{ readonly room: number; readonly width: number }> => [
  ...[36, 24, 16, 12].map((room) => ({ room, width: TableWidth.phone })),
  ...(columns < 4
    ? []
    : [24, 16, 12, 10, 8, ...(areAll ? [6] : [])].map((room) => ({ room, width: TableWidth.screen })))
]

/** More columns never fit a screen. */
const maxColumns = 26

/** A column whose texts have at most that room. Figures are never cut, and a name has at least their width. */
const showColumn = (column: Column, rows: Rows, room: number): ShownColumn => {
  const whole = [...rows].map((row) => (isLabel(column) ? labelAt(column, row) : cellText(column, row)))
  const cells = isLabel(column) ? whole.map((text) => TableWidth.fitStart(text, room)) : whole
  const name = TableWidth.fitMiddle(column.name, Math.max(room, ...cells.map(TableWidth.of)))
  const isCut = [name, ...cells].some(
    (cell, line) => cell.includes("…") && ![column.name, ...whole][line]?.includes("…")
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
