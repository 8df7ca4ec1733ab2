import { isLabel, type Column } from "../data/Table.ts"
import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"

/** A value of a column of words, as the file writes it. */
export interface CellValue {
  readonly column: number
  readonly label: string
}

/** The name of a column, with the pattern of its spellings and its words. */
export interface ColumnName {
  readonly index: number
  readonly name: string
  readonly pattern: RegExp
  readonly words: ReadonlyArray<string>
}

/** The text in lower case and simplified characters, of the same length. */
export const plain = (text: string): string =>
  simplified(text.normalize("NFKC")).replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase()
    return lower.length === letter.length ? lower : letter
  })

/** The character by which values are found. */
export const firstOf = (text: string): string => text.slice(0, 1)

/** A name with its words apart in any way: `unit_price` is also "unit price" and "unit prices". */
const patternOf = (name: string): RegExp => {
  const text = plain(name)
  const isPlain = /^[\p{Script=Latin}\p{N}\s_-]+$/u.test(text)
  const words = isPlain ? wordsOf(name) : []
  const body = words.length > 0 ? words.join(String.raw`[\s_-]*`) : escaped(text)
  const plural = /\p{Script=Latin}{2}$/u.test(text) ? "(?:e?s)?" : ""
  return new RegExp(
    `${body}${/[\p{Script=Latin}\p{N}]$/u.test(text) ? `${plural}(?![\\p{Script=Latin}\\p{N}_])` : ""}`,
    "uy"
  )
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(/\s+/g, "\\s+")

/** A word without the ending of a plural. */
export const singular = (word: string): string =>
  word.endsWith("ies") && word.length > 4
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith("s")
      ? word.slice(0, -1)
      : word

/** The longest beginning of a run of Chinese characters that is a part of a name. */
export const longestPart = (run: string, columns: ReadonlyArray<ColumnName>): string | undefined => {
  for (let length = run.length; length >= 2; length--) {
    const part = run.slice(0, length)
    if (columns.some(({ name }) => plain(name).includes(part))) return part
  }
  return undefined
}

/** The values of columns of words by their first character. */
export const labelsOf = (columns: ReadonlyArray<Column>): ReadonlyMap<string, ReadonlyArray<CellValue>> => {
  const labels = new Map<string, Array<CellValue>>()
  for (const [column, each] of columns.entries()) {
    if (!isLabel(each) || each.amounts !== undefined) continue
    for (const label of each.labels.slice(0, MAX_LABELS)) {
      const first = firstOf(plain(label))
      const same = labels.get(first)
      if (same === undefined) labels.set(first, [{ column, label }])
      else same.push({ column, label })
    }
  }
  return labels
}

/** More different values of a column are free text. */
const MAX_LABELS = 20_000

/** The names of columns as they may be said. */
export const columnNames = (columns: ReadonlyArray<Column>): ReadonlyArray<ColumnName> =>
  columns.map(({ name }, index) => ({ index, name, pattern: patternOf(name), words: wordsOf(plain(name)) }))
