import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { readColumn } from "./Columns.ts"
import { parsePeriod } from "./Dates.ts"
import { parseAmount } from "./Numbers.ts"
import type { Column, Table } from "./Table.ts"
import { isCount, isIdentifierName, unitOf } from "./Units.ts"

/** Rows of words with the names of their columns. */
export interface RowSource {
  readonly header: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  /** What of the file is not in the rows, one sentence each. */
  readonly leftOut?: ReadonlyArray<string>
  /** Numbers have a decimal point, as in JSON. */
  readonly hasDecimalPoints?: boolean
  /** Calls `onRow` for each data row in order; yields to the event loop and stops when the signal aborts. */
  readonly scan: (onRow: (cells: ReadonlyArray<string>) => void, signal: AbortSignal) => Promise<void>
}

/** Reads a source into dense columns. Rows that are totals of others are no rows of the table. */
export const buildTable = async (source: RowSource, signal: AbortSignal): Promise<Table> => {
  const names = uniqueNames(source.header)
  const cells = names.map(() => ({ codes: [] as Array<number>, codeByLabel: new Map<string, number>() }))
  const totals = new Map<number, string>()
  const ragged = { count: 0, first: 0 }
  let rows = 0
  await source.scan((row) => {
    const total = totalIn(row)
    if (total !== undefined) totals.set(rows, total)
    rows++
    if (row.length !== names.length && ragged.count++ === 0) ragged.first = rows
    cells.forEach(({ codeByLabel, codes }, i) => {
      const label = (row[i] ?? "").trim()
      const code = label === "" ? 0 : (codeByLabel.get(label) ?? codeByLabel.size + 1)
      if (code > codeByLabel.size) codeByLabel.set(label, code)
      codes.push(code)
    })
  }, signal)
  // What is called so in many rows is no total of other rows.
  const isLeftOut = totals.size > 0 && totals.size * 3 <= rows
  const columns: Array<Column> = []
  for (const [i, { codeByLabel, codes }] of cells.entries()) {
    signal.throwIfAborted()
    await new Promise((resolve) => setImmediate(resolve))
    const kept = isLeftOut ? codes.filter((_, row) => !totals.has(row)) : codes
    const name = names[i] ?? ""
    const hasDecimalPoints = source.hasDecimalPoints ?? false
    const raw = { name, labels: [...codeByLabel.keys()], codes: Uint32Array.from(kept), hasDecimalPoints }
    const [column, ...split] = readColumn(raw)
    if (column === undefined) continue
    const unitColumns = split.map((_, at) => columns.length + 1 + at)
    columns.push(column.kind === "number" ? { ...column, unitColumns } : column)
    for (const each of split)
      columns.push({ ...each, name: names.includes(each.name) ? `${each.name} (2)` : each.name })
  }
  return {
    columns: withUnitColumns(columns),
    rowCount: isLeftOut ? rows - totals.size : rows,
    notes: [...source.notes, ...(ragged.count > 0 ? [raggedNote(ragged, names.length)] : [])],
    leftOut: [...(source.leftOut ?? []), ...(totals.size > 0 ? [totalsNote(totals, rows, isLeftOut)] : [])]
  }
}

/** The first cell of a row that is neither a number nor a date, where it names a total, such as "EU total" or "合计". */
const totalIn = (row: ReadonlyArray<string>): string | undefined => {
  const first = row.find((cell) => cell.trim() !== "" && !(/\d/.test(cell) && isNumberOrDate(cell)))
  return first !== undefined && first.length <= 60 && TOTAL.test(first) ? first.trim() : undefined
}

const isNumberOrDate = (cell: string): boolean =>
  /^\d[\d./-]+$/.test(cell) ||
  parseAmount(cell, ".") !== undefined ||
  parseAmount(cell, ",") !== undefined ||
  parsePeriod(cell) !== undefined

const TOTAL =
  /^\s*(?:(?:grand[ -]?|sub[ -]?)?totals?(?:[\s:].*)?|.*[\s(]totals?|sum|summe|all|overall|(?:总计|合计|小计).*|.*(?:合计|总计|小计))\s*[:：]?\s*$/iu

const totalsNote = (totals: ReadonlyMap<number, string>, rows: number, isLeftOut: boolean): string => {
  const labels = [...new Set(totals.values())]
  const shown = labels.slice(0, 5).map((label) => `“${Markdown.escapeText(label)}”`)
  const list = shown.join(Language.text(", ", "、")) + (labels.length > shown.length ? "…" : "")
  const [count, all] = [Markdown.plural(totals.size, "row"), Markdown.integer(rows)]
  const [is, looks] = totals.size === 1 ? ["is", "looks like a total"] : ["are", "look like totals"]
  return isLeftOut
    ? Language.text(
        `${count} that ${looks} ${is} left out (${list}).`,
        `${Markdown.integer(totals.size)} 行像是合计（${list}），没有计入。`
      )
    : Language.text(
        `${count} of ${all} ${looks} (${list}); because these are so many, they count.`,
        `${all} 行中有 ${Markdown.integer(totals.size)} 行像是合计（${list}）；因为太多，都计入了。`
      )
}

/**
 * Gives the columns of numbers the columns that name units: of units split off its cells a column has its own alone; of
 * any other such column each has all, unless it plainly holds something else.
 */
const withUnitColumns = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const split = new Set(columns.flatMap((column) => (column.kind === "number" ? column.unitColumns : [])))
  return columns.map((column) => {
    if (column.kind !== "number" || isIdentifierName(column.name)) return column
    const own = column.unit === undefined ? undefined : unitOf(column.unit)
    const shared = columns.flatMap((source, index) => {
      if (source.kind !== "text" || source.names === undefined || split.has(index)) return []
      const isShare = own?.name === "%"
      const isOther = source.names === "currency" && (isCount(column.name) || own?.noun === "unit")
      return isShare || isOther ? [] : [index]
    })
    return { ...column, unitColumns: [...column.unitColumns, ...shared] }
  })
}

const raggedNote = ({ count, first }: { readonly count: number; readonly first: number }, width: number): string =>
  Language.text(
    `${Markdown.plural(count, "row has", "rows have")} a different number of cells than the header's ${width}; the first is data row ${first}.`,
    `${Markdown.integer(count)} 行的单元格数与表头的 ${width} 个不同，第一个是第 ${first} 行数据。`
  )

/** The names of the columns; each one of a repeated name has a number, so that none is taken for another. */
const uniqueNames = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = header.map(
    (raw, i) => raw.replace(/\s+/g, " ").trim() || Language.text(`column ${i + 1}`, `列 ${i + 1}`)
  )
  const taken = new Set(names)
  return names.map((name, i) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name
    let times = names.slice(0, i + 1).filter((each) => each === name).length
    while (taken.has(`${name} (${times})`)) times++
    taken.add(`${name} (${times})`)
    return `${name} (${times})`
  })
}
