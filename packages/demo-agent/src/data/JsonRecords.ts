import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An array of objects in a document, which can become a table. */
export interface RecordArray {
  readonly records: ReadonlyArray<JsonRecord>
  readonly path: string
  /** Elements that are no objects. */
  readonly otherElements: number
}

/** The arrays of objects in a document, the longest first; a document that is such an array comes alone. */
export const findRecords = (value: unknown, path = "$", depth = 0): ReadonlyArray<RecordArray> => {
  if (Array.isArray(value)) return [toRecordArray(value, path)].filter((found) => found !== undefined)
  if (!isRecord(value) || depth > MAX_DEPTH) return []
  return Object.entries(value)
    .flatMap(([key, member]) => findRecords(member, `${path}.${key}`, depth + 1))
    .sort((a, b) => b.records.length - a.records.length)
}

const MAX_DEPTH = 12

const toRecordArray = (array: ReadonlyArray<unknown>, path: string): RecordArray | undefined => {
  const records = array.filter(isRecord)
  return records.length > 0 && records.length >= array.length * 0.9
    ? { records, path, otherElements: array.length - records.length }
    : undefined
}

/** The cells of a record: nested objects become dotted names, arrays and what is nested deeper stay JSON text. */
export const flatten = (
  record: JsonRecord,
  prefix = "",
  cells = new Map<string, string>()
): ReadonlyMap<string, string> => {
  for (const [key, value] of Object.entries(record)) {
    const path = prefix + key
    if (isRecord(value) && !isTooDeep(prefix)) flatten(value, `${path}.`, cells)
    else cells.set(path, value === null ? "" : typeof value === "string" ? value : JSON.stringify(value))
  }
  return cells
}

const isTooDeep = (prefix: string): boolean => prefix.split(".").length >= 4

/** Says what of a document is not in the table of one of its arrays. */
export const leftOutNotes = (document: unknown, array: RecordArray): ReadonlyArray<string> => {
  const members = leftOutMembers(document, array.path)
  const shown = [
    ...(array.otherElements > 0 ? [elementsNote(array)] : []),
    ...members.slice(0, MAX_NOTES).map(({ count, path }) => memberNote(path, count))
  ]
  const more = Math.max(0, members.length - MAX_NOTES)
  return more === 0
    ? shown
    : [
        ...shown,
        Language.text(
          `${Markdown.plural(more, "more part")} of the JSON ${more === 1 ? "is" : "are"} left out.`,
          `JSON 还有 ${Markdown.integer(more)} 个部分略去了。`
        )
      ]
}

const MAX_NOTES = 5

interface LeftOutMember {
  readonly path: string
  /** How many objects an array of objects has. */
  readonly count: number | undefined
}

/** The members beside the array of the table and beside the objects that hold it. */
const leftOutMembers = (value: unknown, tablePath: string, path = "$"): ReadonlyArray<LeftOutMember> => {
  if (path === tablePath) return []
  const records = findRecords(value, path)
  const [own] = records
  if (own?.path === path) return [{ path, count: own.records.length }]
  if (!isRecord(value) || records.length === 0) return [{ path, count: undefined }]
  return Object.entries(value).flatMap(([key, member]) => leftOutMembers(member, tablePath, `${path}.${key}`))
}

/** Says of each column whose cells stay JSON text how much is in them. */
export const nestedNotes = (records: ReadonlyArray<JsonRecord>): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>()
  const walk = (record: JsonRecord, prefix: string): void => {
    for (const [key, value] of Object.entries(record)) {
      const name = prefix + key
      if (isRecord(value) && !isTooDeep(prefix)) walk(value, `${name}.`)
      else if (typeof value === "object" && value !== null)
        counts.set(name, (counts.get(name) ?? 0) + (Array.isArray(value) ? value.length : Object.keys(value).length))
    }
  }
  for (const record of records) walk(record, "")
  return new Map([...counts].map(([name, count]) => [name, nestedNote(count)]))
}

const code = (path: string): string => `\`${path.replace(/`/g, "")}\``

const nestedNote = (count: number): string =>
  Language.text(
    `nested values stay JSON text, with ${Markdown.plural(count, "entry", "entries")} that I neither count nor add up`,
    `嵌套的值保留为 JSON 文本，其中的 ${Markdown.integer(count)} 项不计数也不求和`
  )

const memberNote = (path: string, count: number | undefined): string => {
  const [objects, chineseObjects] =
    count === undefined ? ["", ""] : [`: ${Markdown.plural(count, "object")}`, `：${Markdown.integer(count)} 个对象`]
  return Language.text(
    `${code(path)} of the JSON is left out${objects}.`,
    `JSON 的 ${code(path)} 略去了${chineseObjects}。`
  )
}

const elementsNote = ({ otherElements, path }: RecordArray): string =>
  Language.text(
    `${Markdown.plural(otherElements, "element")} of ${code(path)} ${otherElements === 1 ? "is no object and is" : "are no objects and are"} left out.`,
    `${code(path)} 有 ${Markdown.integer(otherElements)} 个元素不是对象，略去了。`
  )
