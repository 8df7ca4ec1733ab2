import * as Language from "../format/Language.ts"
import { CsvError, parse, type Options } from "csv-parse"
import { parse as parseSync } from "csv-parse/sync"
import { dateStyles, parseDate } from "./Dates.ts"
import { parseAmount } from "./Numbers.ts"
import type { Table } from "./Table.ts"
import { buildTable, type RowSource } from "./TableBuilder.ts"

/** How a delimited text is split into cells. */
export interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|"
  /** The share of the first records that have as many cells as the first one; 0 when there is one column only. */
  readonly agreement: number
}

/** Finds the delimiter of a text from its first records. */
export const detectDialect = (head: string): Dialect => {
  let best: Dialect = { delimiter: ",", agreement: 0 }
  let bestScore = 0
  for (const delimiter of [",", ";", "\t", "|"] as const) {
    const widths = firstRecords(head, { delimiter, to: 30 }).map((cells) => cells.length)
    const width = widths[0] ?? 1
    if (width === 1) continue
    const agreement = widths.filter((n) => n === width).length / widths.length
    const score = agreement * (1 + Math.log2(width))
    if (score > bestScore) {
      bestScore = score
      best = { delimiter, agreement }
    }
  }
  return best
}

/** Tells whether text of unknown origin is a delimited table: at least two lines that agree on at least two cells. */
export const looksDelimited = (text: string): boolean => {
  const head = text.slice(0, 20_000)
  const lines = head
    .split(/\r?\n|\r/, 30)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  if (lines.length < 2) return false
  const { agreement, delimiter } = detectDialect(head)
  const sentences = lines.filter((line) => /[.!?]$/.test(line) && /, [a-z]/.test(line)).length
  return agreement >= 0.8 && delimiter !== "|" && sentences < lines.length / 3
}

/** Tells whether a message holds a delimited table: a cell is a number or a date, since words with commas are sentences. */
export const looksPasted = (text: string): boolean => {
  const head = text.slice(0, 20_000)
  const { delimiter } = detectDialect(head)
  return looksDelimited(text) && firstRecords(head, { delimiter, to: 30 }).some(isDataLine)
}

/** Reads a delimited text into a table. */
export const readCsv = async (text: string, signal: AbortSignal, delimiter?: Dialect["delimiter"]): Promise<Table> => {
  try {
    return await buildTable(csvSource(text, delimiter, true), signal)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quote that never closes swallows the rest of the file: read quotes as plain characters instead, and say so.
    const source = csvSource(text, delimiter, false)
    const note = Language.text(
      "A quotation mark is never closed, so all are read as signs.",
      "有引号没有闭合，所以引号按普通字符读取。"
    )
    return await buildTable({ ...source, notes: [...source.notes, note] }, signal)
  }
}

/** Characters that are read at once. */
const CHUNK = 1 << 16
const LENIENT_OPTIONS = { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const

const csvSource = (text: string, delimiter: Dialect["delimiter"] | undefined, quotes: boolean): RowSource => {
  const head = text.slice(0, 4 * CHUNK)
  const quote = quotes ? '"' : false
  const options: Options = { ...LENIENT_OPTIONS, delimiter: delimiter ?? detectDialect(head).delimiter, quote }
  const [firstRecord = []] = firstRecords(head, { ...options, to: 1 })
  const lacksHeader = isDataLine(firstRecord)
  return {
    header: lacksHeader ? firstRecord.map(() => "") : firstRecord,
    notes: lacksHeader
      ? [Language.text("The first line is data, so the columns are numbered.", "第一行是数据，所以给列编了号。")]
      : [],
    scan: (onRow, signal) => scanRecords(text, options, lacksHeader ? 0 : 1, onRow, signal)
  }
}

/** Calls `onRow` for each record after the first `skip`; yields to the event loop after each chunk. */
const scanRecords = async (
  text: string,
  options: Options,
  skip: number,
  onRow: (cells: ReadonlyArray<string>) => void,
  signal: AbortSignal
): Promise<void> => {
  let record = 0
  const parser = parse({
    ...options,
    on_record: (cells: ReadonlyArray<string>) => {
      if (record++ >= skip) onRow(cells)
      return null
    }
  })
  const completion = new Promise<void>((resolve, reject) => {
    parser.once("end", resolve)
    parser.once("error", reject)
  })
  // The write callbacks below report the same failure; without a handler here it would be reported twice.
  completion.catch(() => undefined)
  parser.resume()
  for (let offset = 0; offset < text.length; offset += CHUNK) {
    signal.throwIfAborted()
    const chunk = text.slice(offset, offset + CHUNK)
    await new Promise<void>((resolve, reject) => {
      parser.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  parser.end()
  await completion
}

/** The first records of a text, which may end in the middle of a record. */
const firstRecords = (head: string, options: Options): ReadonlyArray<ReadonlyArray<string>> => {
  const text = head.replace(/^\ufeff/, "")
  try {
    return parseSync(text, { ...LENIENT_OPTIONS, ...options })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quotation mark that is never closed is an ordinary character.
    return parseSync(text, { ...LENIENT_OPTIONS, ...options, quote: false })
  }
}

/** Tells whether a line is one of data: a cell is a date, or a number that is no year. */
const isDataLine = (cells: ReadonlyArray<string>): boolean =>
  cells.some((cell) => {
    const isNumber = parseAmount(cell, ".") !== undefined && !/^(?:19|20)\d\d$/.test(cell.trim())
    return isNumber || dateStyles.some((style) => parseDate(cell, style) !== undefined)
  })
