import { visit } from "jsonc-parser/lib/esm/main.js"
import * as Language from "../format/Language.ts"
import { findRecords, flatten, isRecord, leftOutNotes, nestedNotes, type JsonRecord } from "./JsonRecords.ts"
import { buildTable } from "./TableBuilder.ts"
import type { Table } from "./Table.ts"

/** One path of a JSON document with the types of its values and how often it occurs. */
export interface JsonPath {
  /** `$` is the document, `[]` any element of an array. */
  readonly path: string
  readonly types: ReadonlyArray<string>
  readonly count: number
}

/** The paths of a JSON document and, where it has an array of objects, its table. */
export interface JsonData {
  readonly shape: ReadonlyArray<JsonPath>
  /** Present where the document is, or contains, an array of objects. */
  readonly table?: Table | undefined
  readonly tablePath?: string | undefined
}

/** The text is not JSON; the message gives the position of the error. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson"
}

/** Parses a JSON document, or one document per line, and turns the array of objects in it into a table. */
export const readJson = async (
  text: string,
  name: string,
  isJsonLines: boolean,
  signal: AbortSignal
): Promise<JsonData> => {
  const document = isJsonLines ? parseLines(text) : parseDocument(text)
  const shape = shapeOf(document)
  const [array] = findRecords(document)
  if (array === undefined) return { shape }
  const { header, notes: headerNotes } = headerOf(array.records)
  const notes = [...headerNotes, ...leftOutNotes(document, array)]
  const scan = async (onRow: (cells: ReadonlyArray<string>) => void, signal: AbortSignal): Promise<void> => {
    for (const [n, record] of array.records.entries()) {
      if (n % 2000 === 0) {
        signal.throwIfAborted()
        await new Promise((resolve) => setImmediate(resolve))
      }
      const cells = flatten(record)
      onRow(header.map((key) => cells.get(key) ?? ""))
    }
  }
  const source = { name, header, notes, columnNotes: nestedNotes(array.records), hasDecimalPoints: true, scan }
  return { shape, table: await buildTable(source, signal), tablePath: array.path }
}

const MAX_PATHS = 200
const MAX_COLUMNS = 500

/** Lists every path of a document with its types, at most 200 of them, from up to 5,000 elements per array. */
const shapeOf = (document: unknown): ReadonlyArray<JsonPath> => {
  const entries = new Map<string, { types: Set<string>; count: number }>()
  const walk = (value: unknown, path: string, depth: number): void => {
    const entry = entries.get(path) ?? { types: new Set(), count: 0 }
    if (entry.count === 0 && entries.size >= MAX_PATHS) return
    entries.set(path, entry)
    entry.types.add(typeName(value))
    entry.count++
    if (depth > 12) return
    if (Array.isArray(value)) for (const item of value.slice(0, 5000)) walk(item, `${path}[]`, depth + 1)
    else if (isRecord(value)) for (const [key, item] of Object.entries(value)) walk(item, `${path}.${key}`, depth + 1)
  }
  walk(document, "$", 0)
  return [...entries].map(([path, { types, count }]) => ({ path, types: [...types], count }))
}

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const parseDocument = (text: string): unknown => {
  const withoutBom = text.replace(/^\ufeff/, "")
  try {
    return JSON.parse(withoutBom)
  } catch {
    // The engine's own message quotes the data and does not always give the position.
    throw new InvalidJson(locateError(withoutBom))
  }
}

const parseLines = (text: string): unknown =>
  text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line, i) => {
      if (line.trim() === "") return []
      try {
        return [JSON.parse(line)]
      } catch {
        // The engine's own message quotes the data; the line number is what helps.
        throw new InvalidJson(Language.text(`line ${i + 1} is not a JSON document`, `第 ${i + 1} 行不是 JSON 文档`))
      }
    })

/** Describes the position of the first syntax error. */
const locateError = (text: string): string => {
  let errorOffset = text.length
  const onError = (_: number, offset: number): void => {
    errorOffset = Math.min(errorOffset, offset)
  }
  visit(text, { onError }, { disallowComments: true })
  const before = text.slice(0, errorOffset)
  const line = before.split("\n").length
  if (errorOffset >= text.trimEnd().length)
    return Language.text(
      `it ends in line ${line}, before the document is complete`,
      `在第 ${line} 行结束，文档还不完整`
    )
  const excerpt = text
    .slice(Math.max(0, errorOffset - 15), errorOffset + 15)
    .replace(/\s+/g, " ")
    .trim()
  const character = errorOffset - before.lastIndexOf("\n")
  return Language.text(
    `line ${line}, character ${character}, near “${excerpt}”`,
    `第 ${line} 行第 ${character} 个字符，在“${excerpt}”附近`
  )
}

const headerOf = (
  records: ReadonlyArray<JsonRecord>
): { readonly header: ReadonlyArray<string>; readonly notes: ReadonlyArray<string> } => {
  const keys = new Set<string>()
  for (const record of records) {
    for (const key of flatten(record).keys()) keys.add(key)
    if (keys.size > MAX_COLUMNS) break
  }
  const header = [...keys].slice(0, MAX_COLUMNS)
  const notes =
    keys.size > MAX_COLUMNS
      ? [
          Language.text(
            `Only the first ${MAX_COLUMNS} different fields became columns.`,
            `只有前 ${MAX_COLUMNS} 个不同的字段成为列。`
          )
        ]
      : []
  return { header, notes }
}
