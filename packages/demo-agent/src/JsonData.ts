import { jsonErrorAt } from "./JsonError.ts"
import { buildTable } from "./TableBuilder.ts"
import type { Table } from "./Table.ts"

/** One place in a JSON document: where it is, what is there and how often. */
export interface ShapeLine {
  /** `$` is the document, `[]` any element of an array. */
  readonly path: string
  readonly types: ReadonlyArray<string>
  readonly times: number
}

/** What was learnt from a JSON document. */
export interface JsonData {
  readonly shape: ReadonlyArray<ShapeLine>
  /** Present where the document is, or holds, an array of objects. */
  readonly table?: Table | undefined
  readonly tablePath?: string | undefined
  readonly notes: ReadonlyArray<string>
}

/** The text is not JSON; the message says where it stops being so. */
export class BrokenJson extends Error {
  override readonly name = "BrokenJson"
}

/** Parses a JSON document, or one document per line, and turns the array of objects it holds into a table. */
export const readJson = async (
  text: string,
  name: string,
  linewise: boolean,
  signal: AbortSignal
): Promise<JsonData> => {
  const document = linewise ? parseLines(text) : parseDocument(text)
  const shape = shapeOf(document)
  const found = findRecords(document)
  if (found === undefined) return { shape, notes: [] }
  const { header, notes } = headerOf(found.records)
  const table = await buildTable(
    {
      name,
      header,
      notes,
      scan: async (onRow, signal) => {
        let n = 0
        for (const record of found.records) {
          if (n++ % 2000 === 0) {
            signal.throwIfAborted()
            await new Promise((resolve) => setImmediate(resolve))
          }
          const cells = flatten(record)
          onRow(header.map((key) => cells.get(key) ?? ""))
        }
      }
    },
    signal
  )
  return { shape, table, tablePath: found.path, notes: [] }
}

/** Lists every path of a document with its types, at most 200 of them, looking at up to 5,000 elements per array. */
export const shapeOf = (document: unknown): ReadonlyArray<ShapeLine> => {
  const seen = new Map<string, { types: Set<string>; times: number }>()
  const visit = (value: unknown, path: string, depth: number): void => {
    let entry = seen.get(path)
    if (entry === undefined) {
      if (seen.size >= 200) return
      entry = { types: new Set(), times: 0 }
      seen.set(path, entry)
    }
    entry.types.add(typeName(value))
    entry.times++
    if (depth > 12) return
    if (Array.isArray(value)) for (const item of value.slice(0, 5000)) visit(item, `${path}[]`, depth + 1)
    else if (isRecord(value)) for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`, depth + 1)
  }
  visit(document, "$", 0)
  return [...seen].map(([path, { types, times }]) => ({ path, types: [...types], times }))
}

type JsonRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const parseDocument = (text: string): unknown => {
  const plain = text.replace(/^\ufeff/, "")
  try {
    return JSON.parse(plain)
  } catch {
    // The engine's own message quotes the data and does not always say where; the place is found anew.
    throw new BrokenJson(whereBroken(plain))
  }
}

const parseLines = (text: string): unknown => {
  const documents: Array<unknown> = []
  let number = 0
  for (const line of text.replace(/^\ufeff/, "").split("\n")) {
    number++
    if (line.trim() === "") continue
    try {
      documents.push(JSON.parse(line))
    } catch {
      // The engine's own message quotes the data; the line number is what helps.
      throw new BrokenJson(`line ${number} is not a JSON document`)
    }
  }
  return documents
}

const whereBroken = (text: string): string => {
  const at = Math.min(jsonErrorAt(text) ?? text.length, text.length)
  const before = text.slice(0, at)
  const line = before.split("\n").length
  if (at >= text.trimEnd().length) return `it ends in line ${line}, before the document is complete`
  const near = text
    .slice(Math.max(0, at - 15), at + 15)
    .replace(/\s+/g, " ")
    .trim()
  return `line ${line}, character ${at - before.lastIndexOf("\n")}, near “${near}”`
}

const findRecords = (document: unknown): { records: ReadonlyArray<JsonRecord>; path: string } | undefined => {
  if (Array.isArray(document)) return recordsOf(document, "$")
  if (!isRecord(document)) return undefined
  const arrays = Object.entries(document).flatMap(([key, value]) =>
    Array.isArray(value) ? [recordsOf(value, `$.${key}`)] : []
  )
  return arrays.filter((found) => found !== undefined).sort((a, b) => b.records.length - a.records.length)[0]
}

const recordsOf = (
  array: ReadonlyArray<unknown>,
  path: string
): { records: ReadonlyArray<JsonRecord>; path: string } | undefined => {
  const records = array.filter(isRecord)
  return records.length > 0 && records.length >= array.length * 0.9 ? { records, path } : undefined
}

const MAX_COLUMNS = 500

const headerOf = (
  records: ReadonlyArray<JsonRecord>
): { header: ReadonlyArray<string>; notes: ReadonlyArray<string> } => {
  const keys = new Set<string>()
  for (const record of records) {
    for (const key of flatten(record).keys()) keys.add(key)
    if (keys.size > MAX_COLUMNS) break
  }
  const header = [...keys].slice(0, MAX_COLUMNS)
  const notes = keys.size > MAX_COLUMNS ? [`Only the first ${MAX_COLUMNS} different fields became columns.`] : []
  return { header, notes }
}

/** Nested objects become dotted names; arrays stay JSON text. */
const flatten = (record: JsonRecord, prefix = "", into = new Map<string, string>()): ReadonlyMap<string, string> => {
  for (const [key, value] of Object.entries(record)) {
    const path = prefix + key
    if (isRecord(value) && prefix.split(".").length < 4) flatten(value, `${path}.`, into)
    else into.set(path, value === null ? "" : typeof value === "string" ? value : JSON.stringify(value))
  }
  return into
}
