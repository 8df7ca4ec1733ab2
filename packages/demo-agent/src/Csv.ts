import { CsvError, parse } from "csv-parse"
import { parse as parseSync } from "csv-parse/sync"
import * as Cells from "./Cells.ts"
import type { Table } from "./Table.ts"
import { buildTable, type RowSource } from "./TableBuilder.ts"

/** How a delimited text is cut into cells. */
export interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|"
  /** The share of the first lines that agree on the number of cells; 0 when there is one column only. */
  readonly agreement: number
}

/** Finds the delimiter of a text from its first lines. */
export const detectDialect = (head: string): Dialect => {
  const declared = /^sep=([,;|\t])\r?\n/.exec(head)?.[1]
  const lines = logicalLines(head, 30)
  let best: Dialect = { delimiter: ",", agreement: 0 }
  let bestScore = 0
  for (const delimiter of [",", ";", "\t", "|"] as const) {
    if (declared === delimiter) return { delimiter, agreement: 1 }
    const counts = lines.map((line) => countOutsideQuotes(line, delimiter))
    const first = counts[0] ?? 0
    if (first === 0) continue
    const agreement = counts.filter((n) => n === first).length / counts.length
    const score = agreement * (1 + Math.log2(1 + first))
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
  const lines = logicalLines(head, 30)
  if (lines.length < 2) return false
  const dialect = detectDialect(head)
  if (dialect.agreement < 0.8) return false
  const prose = lines.filter((line) => /[.!?]$/.test(line.trim()) && /, [a-z]/.test(line)).length
  return dialect.delimiter !== "|" && prose < lines.length / 3
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

const csvSource = (
  bytes: Uint8Array,
  name: string,
  wanted: Dialect["delimiter"] | undefined,
  quotes: boolean
): RowSource => {
  const head = new TextDecoder().decode(bytes.subarray(0, 4 * CHUNK)).replace(/^\ufeff/, "")
  const declared = /^sep=[,;|\t]\r?\n/.test(head)
  const delimiter = wanted ?? detectDialect(head).delimiter
  const options = {
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    quote: quotes ? '"' : false,
    from: declared ? 2 : 1
  } as const
  const firstRecords: ReadonlyArray<ReadonlyArray<string>> = parseSync(firstLines(head), {
    ...options,
    to: declared ? 3 : 2
  })
  const first = firstRecords[0] ?? []
  const headless = firstRecords.length > 1 && !isHeader(first, firstRecords[1] ?? [])
  const notes = headless ? ["The first line looks like data, not like names, so the columns are numbered."] : []
  const header = headless ? first.map((_, i) => `column ${i + 1}`) : first
  const skip = headless ? 0 : 1
  return {
    name,
    header,
    notes,
    scan: async (onRow, signal) => {
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
  }
}

/** The head up to its last complete line, so that a cut quoted cell is not taken for an error. */
const firstLines = (head: string): string => {
  const lines = logicalLines(head, 4)
  return lines.join("\n")
}

const logicalLines = (text: string, limit: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let start = 0
  let quoted = false
  for (let i = 0; i <= text.length && lines.length < limit; i++) {
    const c = text.charCodeAt(i)
    if (c === 34) quoted = !quoted
    const end = i === text.length
    if ((c === 10 || c === 13 || end) && (!quoted || end)) {
      if (i > start) lines.push(text.slice(start, i))
      start = i + 1
    }
  }
  const balanced = lines.filter((line) => line.split('"').length % 2 === 1)
  return balanced.filter((line) => line.trim() !== "")
}

const countOutsideQuotes = (line: string, delimiter: string): number => {
  let quoted = false
  let found = 0
  for (const c of line) {
    if (c === '"') quoted = !quoted
    else if (c === delimiter && !quoted) found++
  }
  return found
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
  if (Cells.isMissingInTyped(cell)) return "missing"
  if (Cells.parseNumber(cell, ".") !== undefined || Cells.parseNumber(cell, ",") !== undefined) return "number"
  return Cells.dateStyles.some((style) => Cells.parseDate(cell, style) !== undefined) ? "date" : "text"
}
