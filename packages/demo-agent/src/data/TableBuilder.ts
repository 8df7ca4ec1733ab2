import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"
import { readColumn } from "./Columns.ts"
import { parseAmount } from "./Numbers.ts"
import type { Column, Table } from "./Table.ts"
import { isQuantity, unitOf } from "./Units.ts"

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
    if (column !== undefined) columns.push(column)
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

/** The first cell of words in a row, where it names a total, such as "Total", "EU total", "Grand total" or "合计". */
const totalIn = (row: ReadonlyArray<string>): string | undefined => {
  const first = row.find(
    (cell) => cell.trim() !== "" && parseAmount(cell, ".") === undefined && !/^\d[\d./-]+$/.test(cell)
  )
  return first !== undefined && first.length <= 60 && TOTAL.test(first) ? first.trim() : undefined
}

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

/** Gives each column of numbers the columns that name its units: those that have its name, else all that no column has. */
const withUnitColumns = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const sources = columns.flatMap((column, index) =>
    column.kind === "text" && column.names !== undefined ? [{ index, column, noun: column.names }] : []
  )
  const ownerOf = (source: Column): Column | undefined => {
    const qualifiers = wordsOf(source.name).filter((word) => !UNIT_WORDS.test(word))
    return columns.find(
      ({ kind, name }) =>
        kind === "number" && qualifiers.length > 0 && qualifiers.every((word) => wordsOf(name).includes(word))
    )
  }
  const isOnlyNumber = columns.filter(({ kind }) => kind === "number").length === 1
  return columns.map((column) => {
    if (column.kind !== "number" || column.isIdentifier) return column
    const own = sources.filter((source) => ownerOf(source.column) === column)
    const unit = column.unit === undefined ? undefined : unitOf(column.unit)
    const isPlain = unit === undefined && unitOf(wordsOf(column.name).at(-1) ?? "") === undefined
    const shared = sources.filter(
      ({ column: source, noun }) =>
        ownerOf(source) === undefined &&
        (noun === "currency" ? !isQuantity(column.name) : isQuantity(column.name) || isOnlyNumber) &&
        (isPlain || unit?.noun === noun)
    )
    return { ...column, unitColumns: (own.length > 0 ? own : shared).map(({ index }) => index) }
  })
}

const UNIT_WORDS = /^(?:currency|curr|cur|ccy|units?|uom|code|币种|单位)$/

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
