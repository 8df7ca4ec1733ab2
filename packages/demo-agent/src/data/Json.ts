import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { buildTable } from "./TableBuilder.ts"
import type { Table } from "./Table.ts"

/** The text is not JSON; the message gives the position of the error. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson"
}

/**
 * Parses a JSON document, or one document per line, into a table: its array of objects, or itself as the only row.
 * Objects in a row become columns such as `price.amount`; the notes name what is left out.
 */
export const readJson = async (text: string, signal: AbortSignal): Promise<Table> => {
  const document = /^\s*\{.*\}\s*\n\s*\{/.test(text) ? parseLines(text) : parseDocument(text)
  const leftOut = new Map<string, number>()
  const leaveOut = (path: string, value: unknown): void => {
    leftOut.set(path, (leftOut.get(path) ?? 0) + (Array.isArray(value) ? value.length : 1))
  }
  const rows: Array<ReadonlyMap<string, string>> = []
  for (const [n, record] of recordsOf(document, leaveOut).entries()) {
    if (n % 2000 === 0) {
      signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
    rows.push(cellsOf(record, leaveOut))
  }
  const keys = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  const header = keys.slice(0, MAX_COLUMNS)
  for (const key of keys.slice(MAX_COLUMNS)) leaveOut(key, undefined)
  const scan = async (onRow: (cells: ReadonlyArray<string>) => void): Promise<void> => {
    for (const row of rows) onRow(header.map((key) => row.get(key) ?? ""))
  }
  return buildTable({ header, notes: [], leftOut: leftOutNotes(leftOut), hasDecimalPoints: true, scan }, signal)
}

const MAX_COLUMNS = 500
const MAX_NAMES = 8

type JsonRecord = Readonly<Record<string, unknown>>
type LeaveOut = (path: string, value: unknown) => void

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The objects of the document: of itself, or of the longest array of objects in it; else the document alone. */
const recordsOf = (document: unknown, leaveOut: LeaveOut): ReadonlyArray<JsonRecord> => {
  const best = isRecord(document) ? longestArray(document, "", 0) : undefined
  if (isRecord(document) && best === undefined) return [document]
  const array: ReadonlyArray<unknown> = best?.array ?? (Array.isArray(document) ? document : [document])
  if (best !== undefined) leaveOutBeside(document as JsonRecord, "", best.path, leaveOut)
  if (!array.some(isRecord)) return array.map((value) => ({ value }))
  const others = array.filter((element) => !isRecord(element))
  if (others.length > 0) leaveOut(`${best?.path ?? ""}[]`, others)
  return array.filter(isRecord)
}

const longestArray = (
  record: JsonRecord,
  prefix: string,
  depth: number
): { readonly array: ReadonlyArray<unknown>; readonly path: string } | undefined =>
  Object.entries(record)
    .flatMap(([key, value]) => {
      const path = prefix + key
      if (Array.isArray(value)) return value.some(isRecord) ? [{ array: value as ReadonlyArray<unknown>, path }] : []
      return isRecord(value) && depth < 8 ? (longestArray(value, `${path}.`, depth + 1) ?? []) : []
    })
    .toSorted((a, b) => b.array.length - a.array.length)[0]

/** Leaves out the members beside the array of the table and beside the objects that hold it. */
const leaveOutBeside = (record: JsonRecord, prefix: string, tablePath: string, leaveOut: LeaveOut): void => {
  for (const [key, value] of Object.entries(record)) {
    const path = prefix + key
    if (path === tablePath) continue
    if (isRecord(value) && tablePath.startsWith(`${path}.`)) leaveOutBeside(value, `${path}.`, tablePath, leaveOut)
    else leaveOut(path, value)
  }
}

/** The cells of a row: members of an object in it have names such as `price.amount`; lists and deeper objects have no cell. */
const cellsOf = (record: JsonRecord, leaveOut: LeaveOut): ReadonlyMap<string, string> => {
  const cells = new Map<string, string>()
  const put = (path: string, value: unknown): void => {
    if (typeof value === "object" && value !== null) leaveOut(path, value)
    else cells.set(path, value === null || value === undefined ? "" : String(value))
  }
  for (const [key, value] of Object.entries(record)) {
    if (isRecord(value)) for (const [inner, member] of Object.entries(value)) put(`${key}.${inner}`, member)
    else put(key, value)
  }
  return cells
}

const leftOutNotes = (leftOut: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  if (leftOut.size === 0) return []
  const shown = [...leftOut].slice(0, MAX_NAMES).map(([path, count]) => {
    const entries = Language.text(Markdown.plural(count, "entry", "entries"), `${Markdown.integer(count)} 项`)
    return Language.text(`\`${path.replace(/`/g, "")}\` (${entries})`, `\`${path.replace(/`/g, "")}\`（${entries}）`)
  })
  const more = leftOut.size - shown.length
  const list = Markdown.joinWords(more > 0 ? [...shown, Language.text(`${more} more`, `另外 ${more} 个`)] : shown)
  return [
    Language.text(`Left out of the JSON, which I read one level deep: ${list}.`, `JSON 只读取一层，没有读取：${list}。`)
  ]
}

const parseDocument = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The engine's own message quotes the data, and often has the position of the error.
    const found = /position (\d+)/.exec(String(error))?.[1]
    if (found === undefined)
      throw new InvalidJson(Language.text("it ends before the document is complete", "文档还不完整就结束了"))
    const before = text.slice(0, Number(found)).split("\n")
    const [line, character] = [before.length, (before.at(-1)?.length ?? 0) + 1]
    throw new InvalidJson(Language.text(`line ${line}, character ${character}`, `第 ${line} 行第 ${character} 个字符`))
  }
}

const parseLines = (text: string): unknown =>
  text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return []
    try {
      return [JSON.parse(line)]
    } catch {
      // The engine's own message quotes the data; the line number is what helps.
      throw new InvalidJson(Language.text(`line ${i + 1} is not a JSON document`, `第 ${i + 1} 行不是 JSON 文档`))
    }
  })
