import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { columnBuilder } from "./ColumnBuilder.ts"
import { countCell, inferType, emptyCellCounts } from "./ColumnType.ts"
import type { Column, Table } from "./Table.ts"
import { withRowUnits } from "./UnitColumns.ts"

/** Rows that can be read twice: once to infer the types, once to fill the columns. */
export interface RowSource {
  readonly name: string
  readonly header: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  /** What is to be known about a column, by its name in the header. */
  readonly columnNotes?: ReadonlyMap<string, string>
  /** Numbers have a decimal point, as in JSON. */
  readonly hasDecimalPoints?: boolean
  /** Calls `onRow` for each data row in order; yields to the event loop and stops when the signal aborts. */
  readonly scan: (onRow: (cells: ReadonlyArray<string>) => void, signal: AbortSignal) => Promise<void>
}

/** Reads a source into dense columns. */
export const buildTable = async (source: RowSource, signal: AbortSignal): Promise<Table> => {
  const names = uniqueNames(source.header)
  let scan = await scanTypes(source, names.length, totalIn, signal)
  // What is called so in most rows is no total of other rows.
  if (scan.totals.count > scan.rowCount) scan = await scanTypes(source, names.length, () => undefined, signal)
  const { counts, ragged, rowCount, totals } = scan
  if (source.hasDecimalPoints === true) for (const count of counts) count.ambiguousPoints = 0
  const builders = counts.map((count, i) => columnBuilder(names[i] ?? "", inferType(count), rowCount))
  const rowHashes = new Set<number>()
  let row = 0
  await source.scan((cells) => {
    if (totals.count > 0 && totalIn(cells) !== undefined) return
    builders.forEach((builder, i) => builder.put(row, cells[i] ?? ""))
    rowHashes.add(rowHash(cells))
    row++
  }, signal)
  return {
    name: source.name,
    columns: withRowUnits(builders.map((builder, i) => withNote(builder.build(), source, i))),
    rowCount,
    duplicateRows: rowCount - rowHashes.size,
    totals: totals.count === 0 ? undefined : totals,
    notes: [...source.notes, ...raggedNotes(ragged, names.length)]
  }
}

/** The first look at all rows: what their cells are like, without the rows that look like totals of others. */
const scanTypes = async (
  source: RowSource,
  width: number,
  totalOf: (cells: ReadonlyArray<string>) => string | undefined,
  signal: AbortSignal
) => {
  const counts = Array.from({ length: width }, emptyCellCounts)
  const ragged: RaggedRows = { shorter: 0, longer: 0, first: 0 }
  const totals = { count: 0, example: "" }
  let rowCount = 0
  await source.scan((cells) => {
    const total = totalOf(cells)
    if (total !== undefined) {
      if (totals.count++ === 0) totals.example = total.trim()
      return
    }
    rowCount++
    countRagged(ragged, cells.length - width, rowCount)
    counts.forEach((count, i) => countCell(count, cells[i] ?? ""))
  }, signal)
  return { counts, ragged, rowCount, totals }
}

/** The cell that names a row as a total or subtotal of others, such as "Total", "EU total", "合计" or "北京小计". */
const totalIn = (cells: ReadonlyArray<string>): string | undefined =>
  cells.find((cell) => cell.length <= 40 && /[lmst计总:：]\s*$/iu.test(cell.slice(-3)) && TOTAL.test(cell))

const TOTAL =
  /^\s*(?:(?:[\p{L}\p{N}][\p{L}\p{N} .&-]*\s)?(?:grand |sub-?\s?)?totals?|sum|summe|gesamt|(?:zwischen|gesamt)summe|[\p{L}\p{N} ]*(?:合计|总计|小计|汇总|共计))\s*[:：]?\s*$/iu

const withNote = (column: Column, { columnNotes, header }: RowSource, index: number): Column => {
  const note = columnNotes?.get(header[index] ?? "")
  return note === undefined ? column : { ...column, notes: [...column.notes, note] }
}

/** How many rows have fewer or more cells than the header, and the first of them. */
interface RaggedRows {
  shorter: number
  longer: number
  first: number
}

const countRagged = (ragged: RaggedRows, surplus: number, row: number): void => {
  if (surplus === 0) return
  if (surplus < 0) ragged.shorter++
  else ragged.longer++
  if (ragged.first === 0) ragged.first = row
}

const raggedNotes = ({ first, longer, shorter }: RaggedRows, width: number): ReadonlyArray<string> =>
  first === 0
    ? []
    : [
        Language.text(
          `${Markdown.plural(shorter + longer, "row has", "rows have")} a different number of cells than the header's ${width} ` +
            `(${shorter} shorter, ${longer} longer; the first is data row ${first}). Missing cells count as missing values, surplus cells are left out.`,
          `${Markdown.integer(shorter + longer)} 行的单元格数与表头的 ${width} 个不同（${shorter} 行较短，${longer} 行较长；第一个是第 ${first} 行数据）。缺少的单元格按缺失值计算，多余的单元格略去。`
        )
      ]

/** The names of the columns; each one of a repeated name has a number, so that none is taken for another. */
const uniqueNames = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = header.map((raw, i) => raw.replace(/\s+/g, " ").trim() || `column ${i + 1}`)
  const taken = new Set(names.filter((name, i) => names.indexOf(name) === names.lastIndexOf(name) && i >= 0))
  return names.map((name, i) => {
    if (taken.has(name) && names.indexOf(name) === i) return name
    let times = names.slice(0, i + 1).filter((each) => each === name).length
    while (taken.has(`${name} (${times})`)) times++
    taken.add(`${name} (${times})`)
    return `${name} (${times})`
  })
}

/** A 52-bit hash (two FNV-1a) of a row, so that repeated rows are found without storing their text. */
const rowHash = (cells: ReadonlyArray<string>): number => {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (const cell of cells) {
    for (let i = 0; i < cell.length; i++) {
      const c = cell.charCodeAt(i)
      a = Math.imul(a ^ c, 0x01000193)
      b = Math.imul(b ^ c, 0x85ebca6b)
    }
    a = Math.imul(a ^ 0x1f, 0x01000193)
    b = Math.imul(b ^ 0x2f, 0x85ebca6b)
  }
  return (a >>> 0) * 0x100000 + ((b >>> 0) & 0xfffff)
}
