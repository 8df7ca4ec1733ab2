import { isDate, isLabel, type Table } from "../data/Table.ts"
import { unitName } from "../data/UnitColumns.ts"
import type { Reading } from "./Grammar.ts"
import { knownEnd } from "./Lexicon.ts"
import {
  columnNames,
  firstOf,
  labelsOf,
  longestPart,
  plain,
  singular,
  type CellValue,
  type ColumnName
} from "./Names.ts"
import type { SourceText } from "./SourceText.ts"

/** Finds the names and values of the data in a request. */
export class DataNames {
  /** The names that may be several columns, by the words that were said. */
  readonly ambiguous = new Map<string, ReadonlyArray<string>>()
  /** The columns of dates. */
  readonly dates: ReadonlyArray<number>
  readonly #source: SourceText
  readonly #table: Table | undefined
  readonly #columns: ReadonlyArray<ColumnName>
  readonly #labels: ReadonlyMap<string, ReadonlyArray<CellValue>>

  constructor(source: SourceText, table: Table | undefined) {
    this.#source = source
    this.#table = table
    this.dates = (table?.columns ?? []).flatMap((column, index) => (isDate(column) ? [index] : []))
    this.#columns = columnNames(table?.columns ?? [])
    this.#labels = labelsOf(table?.columns ?? [])
  }

  /** Tells whether a longer filler word, such as "value", is the name of a column, so that it may not be skipped. */
  isColumn(at: number, end: number): boolean {
    return (
      (end - at > 3 || /^\p{Script=Han}/u.test(this.#source.plain.slice(at))) &&
      this.#columns.some(({ pattern }) => this.#source.match(pattern, at)?.length === end - at)
    )
  }

  /** Tells whether a name or value begins in these words in the case of the data, so that they may not be skipped. */
  holdsData(at: number, end: number): boolean {
    const starts = wordStarts(this.#source.plain.slice(at, end)).map((start) => at + start)
    return starts.some((start) => {
      const values = this.#labels.get(firstOf(this.#source.plain.slice(start))) ?? []
      return [...this.#columns.map(({ name }) => name), ...values.map(({ label }) => label)].some((text) =>
        this.#source.hasAt(text, start)
      )
    })
  }

  /** The columns whose names begin at a place: quoted, whole, or by words of it that belong to no other column. */
  columnsAt(at: number): ReadonlyArray<Reading<number>> {
    const quote = this.#source.quoteAt(at)
    if (quote !== undefined) {
      const named = this.#columns.filter(({ name }) => plain(name) === plain(quote[0]))
      return named.map(({ index }) => [index, quote[1]] as const)
    }
    const whole = this.#columns
      .flatMap(({ index, pattern }) => {
        const found = this.#source.match(pattern, at)
        return found === undefined ? [] : [[index, at + found.length] as const]
      })
      .toSorted((a, b) => b[1] - a[1])
    const partial = this.#partsAt(at).filter(([, end]) => whole.every((each) => each[1] < end))
    return [...partial, ...whole]
  }

  /** Words of a name, such as "price" of `unit_price`, where they mean one column and nothing else. */
  #partsAt(at: number): ReadonlyArray<Reading<number>> {
    const readings: Array<Reading<number>> = []
    const said: Array<string> = []
    for (let end = at; said.length < 4;) {
      const found = this.#source.match(
        said.length === 0
          ? /(?=\p{N}*\p{Script=Latin})[\p{Script=Latin}\p{N}]{2,}|\p{Script=Han}{2,8}/uy
          : /[\s_-]+[\p{Script=Latin}\p{N}]+/uy,
        end
      )
      if (found === undefined) break
      const isHan = /^\p{Script=Han}/u.test(found)
      // The longest part of a Chinese name that stands here.
      const part = isHan ? longestPart(found, this.#columns) : found
      if (part === undefined) break
      end += part.length
      said.push(part.replace(/^[\s_-]+/, ""))
      if (said.some((word) => knownEnd(word, 0) === word.length)) break
      const fits = this.#columns.filter(({ name, words }) =>
        isHan
          ? plain(name).includes(part)
          : said.every((word) => words.some((each) => singular(each) === singular(word)))
      )
      const [only, ...others] = fits
      if (only === undefined) break
      if (others.length === 0) readings.push([only.index, end])
      else if (!this.#columns.some(({ pattern }) => this.#source.match(pattern, at)?.length === end - at))
        this.ambiguous.set(
          this.#source.written.slice(at, end),
          fits.map(({ name }) => name)
        )
      if (isHan) break
    }
    return readings.toReversed()
  }

  /** The values that begin at a place, each with all columns that have it. */
  valuesAt(at: number): ReadonlyArray<Reading<ReadonlyArray<CellValue>>> {
    const quote = this.#source.quoteAt(at)
    if (quote !== undefined) {
      const values = (this.#labels.get(firstOf(plain(quote[0]))) ?? []).filter(
        ({ label }) => plain(label) === plain(quote[0])
      )
      return values.length === 0 ? [] : [[values, quote[1]]]
    }
    const byEnd = new Map<number, Array<CellValue>>()
    const add = (end: number, value: CellValue): void => {
      byEnd.set(end, [...(byEnd.get(end) ?? []), value])
    }
    for (const value of this.#labels.get(firstOf(this.#source.plain.slice(at))) ?? []) {
      const label = plain(value.label)
      const end = at + label.length
      if (
        this.#source.plain.startsWith(label, at) &&
        (!/[\p{Script=Latin}\p{N}]$/u.test(label) || this.#source.endsWord(end))
      )
        add(end, value)
    }
    const word = this.#source.match(/[\p{L}\p{N}$€£¥₹]+/uy, at)
    if (word !== undefined) for (const value of unitsOf(word, this.#table)) add(at + word.length, value)
    return [...byEnd].toSorted(([a], [b]) => b - a).map(([end, values]) => [values, end] as const)
  }
}

/** "€" and "euro" are values of a column that says EUR. */
const unitsOf = (word: string, table: Table | undefined): ReadonlyArray<CellValue> =>
  (table?.columns ?? []).flatMap((each, column) => {
    const name = isLabel(each) ? unitName(each.names, word) : undefined
    return name !== undefined && isLabel(each) && each.labels.includes(name) && plain(name) !== word
      ? [{ column, label: name }]
      : []
  })

const wordStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...[...text.matchAll(/\s+/g)].map((gap) => gap.index + gap[0].length)
]
