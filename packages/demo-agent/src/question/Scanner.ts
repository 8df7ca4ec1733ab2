import { isComparable, isLabelOf, type Operator } from "../data/Condition.ts"
import type { Column, Table } from "../data/Table.ts"
import { alt, type Parser, type Reading } from "./Grammar.ts"
import { isSameName, SourceText } from "./SourceText.ts"
import { phraseEnds, type Meaning } from "./Words.ts"

/** Reads the words of a request: phrases of the language, and names and values of the data. */
export class Scanner {
  readonly source: SourceText
  /** Where the longest understood beginning ends. */
  understood = 0
  /** The column whose value was wanted behind the understood beginning. */
  wanted: { readonly column: number; readonly at: number } | undefined
  readonly #table: Table
  readonly #file: string

  constructor(request: string, table: Table, fileName: string) {
    this.source = new SourceText(request)
    this.#table = table
    this.#file = fileName
  }

  /** Reads a phrase of one of these meanings. */
  word(...meanings: ReadonlyArray<Meaning>): Parser<Meaning> {
    return this.#terminal((at) =>
      meanings.flatMap((meaning) => phraseEnds(meaning, this.source.plain, at).map((end) => [meaning, end] as const))
    )
  }

  /** Reads the name of a column, in quotes or without. */
  readonly column: Parser<number> = this.#terminal((at) => {
    const quote = this.source.quoteAt(at)
    return longestFirst(
      this.#table.columns.flatMap(({ name }, index): ReadonlyArray<Reading<number>> => {
        const end = quote !== undefined && isSameName(quote[0], name) ? quote[1] : this.source.endOf(name, at)
        return end === undefined ? [] : [[index, end]]
      })
    )
  })

  /** Reads a whole number, in digits or as a Chinese one up to ten. */
  readonly count: Parser<number> = this.#terminal((at) => {
    const found = this.source.match(/\d{1,6}(?![\d.,]*\d|[\p{Script=Latin}_%])|[一二两三四五六七八九十]/uy, at)
    if (found === undefined) return []
    const digit = "一二三四五六七八九十".indexOf(found.replace("两", "二")) + 1
    return [[digit > 0 ? digit : Number(found), at + found.length]]
  })

  /** Reads a value that a column is compared with: quoted, a label of it, or a number or date in its notation. */
  value(index: number, operator: Operator): Parser<string> {
    const column = this.#table.columns[index]
    const read = this.#terminal((at) => (column === undefined ? [] : valuesAt(this.source, column, operator, at)))
    return (at) => {
      if (at >= this.understood) this.wanted = { column: index, at }
      return read(at)
    }
  }

  /** Reads the name of the file. */
  readonly fileName: Parser<string> = this.#terminal((at) => {
    const end = this.source.endOf(this.#file, at)
    return end === undefined ? [] : [[this.#file, end]]
  })

  readonly comma: Parser<unknown> = this.#signs(/[,、]/uy)

  /** Reads what ends a sentence or a line. */
  readonly stop: Parser<unknown> = this.#signs(/(?:[.;!?。~]+(?=\s|$|\p{Script=Han})|\n)[\s.;!?。~]*/uy)

  /** Tells whether only signs stand behind a place. */
  isEnd(at: number): boolean {
    return /^[\s.,:;!?。~…]*$/u.test(this.source.plain.slice(at))
  }

  #signs(pattern: RegExp): Parser<unknown> {
    return this.#terminal((at) => {
      const found = this.source.match(pattern, at)
      return found === undefined ? [] : [[found, at + found.length]]
    })
  }

  /** Reads at a place or behind the space there, and remembers how far the request was understood. */
  #terminal<A>(read: Parser<A>): Parser<A> {
    return (at) => {
      const readings = read(this.source.plain[at] === " " ? at + 1 : at)
      for (const [, end] of readings) this.understood = Math.max(this.understood, end)
      return readings
    }
  }
}

/** Reads parts of which each may be missing. */
export const maybe = (...parts: ReadonlyArray<Parser<unknown>>): Parser<unknown> =>
  parts.reduce<Parser<unknown>>(
    (before, part) => (at) => before(at).flatMap(([, end]) => alt(part, nothing)(end)),
    nothing
  )

const valuesAt = (
  source: SourceText,
  column: Column,
  operator: Operator,
  at: number
): ReadonlyArray<Reading<string>> => {
  const quote = source.quoteAt(at)
  if (quote !== undefined) return isComparable(column, operator, quote[0]) ? [quote] : []
  if (column.kind !== "text") return source.spansAt(at).filter(([text]) => isComparable(column, operator, text))
  const word = source.match(/[^\s,;!?。"]+/uy, at) ?? ""
  const end = at + word.length
  if (operator === "contains") return word === "" ? [] : [[source.written.slice(at, end), end]]
  const unit = column.names === undefined ? undefined : column.labels.find((label) => isLabelOf(label, word, true))
  const labels = column.labels.flatMap((label): ReadonlyArray<Reading<string>> => {
    const labelEnd = source.endOf(label, at)
    return labelEnd === undefined ? [] : [[label, labelEnd]]
  })
  return longestFirst(unit === undefined ? labels : [...labels, [unit, end]])
}

const nothing: Parser<unknown> = (at) => [[undefined, at]]

const longestFirst = <A>(readings: ReadonlyArray<Reading<A>>): ReadonlyArray<Reading<A>> =>
  readings.toSorted((a, b) => b[1] - a[1])
