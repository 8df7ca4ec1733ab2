import { CsvError, parse, type Options } from "csv-parse"
import { parse as parseSync } from "csv-parse/sync"
import { dateStyles, parseDate } from "./Dates.ts"
import { isMissingInTyped } from "./MissingValues.ts"
import { parseNumber } from "./Numbers.ts"
import type { Table } from "./Table.ts"
import { buildTable, type RowSource } from "./TableBuilder.ts"

/** How a delimited text is cut into cells. */
export interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|"
  /** The share of the first records that have as many cells as the first one; 0 when there is one column only. */
  readonly agreement: number
}

/** Finds the delimiter of a text from its first records. */
export const detectDialect = (head: string): Dialect => {
  const declared = SEP_LINE.exec(head)?.[1]
  let best: Dialect = { delimiter: ",", agreement: 0 }
  let bestScore = 0
  for (const delimiter of [",", ";", "\t", "|"] as const) {
    if (declared === delimiter) return { delimiter, agreement: 1 }
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

/** Reads delimited UTF-8 bytes into a table. */
export const readCsv = async (
  bytes: Uint8Array,
  name: string,
  signal: AbortSignal,
  delimiter?: Dialect["delimiter"]
): Promise<Table> => {
  try {
    return await buildTable(csvSource(bytes, name, delimiter, true), signal)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quote that never closes swallows the rest of the file: read quotes as plain characters instead, and say so.
    const source = csvSource(bytes, name, delimiter, false)
    const note = "A quotation mark is opened and never closed, so quotation marks are read as ordinary characters."
    return await buildTable({ ...source, notes: [...source.notes, note] }, signal)
  }
}

const CHUNK = 1 << 16
const SEP_LINE = /^sep=([,;|\t])\r?\n/
const RELAXED = { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const

const csvSource = (
  bytes: Uint8Array,
  name: string,
  wanted: Dialect["delimiter"] | undefined,
  quotes: boolean
): RowSource => {
  const head = new TextDecoder().decode(bytes.subarray(0, 4 * CHUNK))
  const from = SEP_LINE.test(head) ? 2 : 1
  const quote = quotes ? '"' : false
  const options: Options = { ...RELAXED, delimiter: wanted ?? detectDialect(head).delimiter, quote, from }
  const [first = [], second] = firstRecords(head, { ...options, to: from + 1 })
  const headless = second !== undefined && !isHeader(first, second)
  return {
    name,
    header: headless ? first.map((_, i) => `column ${i + 1}`) : first,
    notes: headless ? ["The first line looks like data, not like names, so the columns are numbered."] : [],
    scan: (onRow, signal) => scanRecords(bytes, options, headless ? 0 : 1, onRow, signal)
  }
}

/** Calls `onRow` for each record after the first `skip`; lets the event loop turn after each chunk. */
const scanRecords = async (
  bytes: Uint8Array,
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
  const ended = new Promise<void>((resolve, reject) => {
    parser.once("end", resolve)
    parser.once("error", reject)
  })
  // The write callbacks below report the same failure; without a handler here it would be reported twice.
  ended.catch(() => undefined)
  parser.resume()
  for (let at = 0; at < bytes.length; at += CHUNK) {
    signal.throwIfAborted()
    const part = bytes.subarray(at, at + CHUNK)
    await new Promise<void>((resolve, reject) => {
      parser.write(part, (error) => (error ? reject(error) : resolve()))
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  parser.end()
  await ended
}

/** The first records of a text that may be cut off in the middle of one. */
const firstRecords = (head: string, options: Options): ReadonlyArray<ReadonlyArray<string>> => {
  const text = head.replace(/^\ufeff/, "")
  try {
    return parseSync(text, { ...RELAXED, ...options })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quotation mark that is never closed is an ordinary character.
    return parseSync(text, { ...RELAXED, ...options, quote: false })
  }
}

const isHeader = (first: ReadonlyArray<string>, second: ReadonlyArray<string>): boolean => {
  const kinds = first.map(cellKind)
  if (!kinds.includes("number") && !kinds.includes("date")) return true
  if (kinds.includes("date")) return false
  const years = first.every((cell, i) => kinds[i] !== "number" || /^(19|20)\d\d$/.test(cell.trim()))
  if (years && kinds.includes("text")) return true
  return !kinds.every((kind, i) => kind === cellKind(second[i] ?? "") || kind === "missing")
}

const cellKind = (cell: string): "number" | "date" | "text" | "missing" => {
  if (isMissingInTyped(cell)) return "missing"
  if (parseNumber(cell, ".") !== undefined || parseNumber(cell, ",") !== undefined) return "number"
  return dateStyles.some((style) => parseDate(cell, style) !== undefined) ? "date" : "text"
}
