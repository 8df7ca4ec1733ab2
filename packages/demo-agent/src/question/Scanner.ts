import { isComparable, isLabelOf, type Operator } from "../data/Condition.ts"
import { parsePeriod } from "../data/Dates.ts"
import { parseAmount } from "../data/Numbers.ts"
import type { Table } from "../data/Table.ts"
import { simplified } from "../format/Simplified.ts"
import { alt, type Parser, type Reading } from "./Grammar.ts"
import { endsWord, longestPhraseEnd, phraseEnds, type Meaning } from "./Words.ts"

/** Reads the words of a request: phrases of the language, and names and values of the data. */
export class Scanner {
  /** The request as it is quoted; all places are places in both texts. */
  readonly written: string
  readonly plain: string
  /** Where the longest understood beginning ends. */
  understood = 0
  /** The column whose value was wanted behind the understood beginning. */
  wanted: { readonly column: number; readonly at: number } | undefined
  readonly #columns: ReadonlyArray<string>
  readonly #table: Table
  readonly #file: string

  constructor(request: string, table: Table, fileName: string) {
    this.written = normalised(request)
    this.plain = folded(this.written)
    this.#table = table
    this.#columns = table.columns.map(({ name }) => folded(normalised(name)))
    this.#file = folded(normalised(fileName))
  }

  /** Reads a phrase of one of these meanings. */
  word(...meanings: ReadonlyArray<Meaning>): Parser<Meaning> {
    return this.#terminal((at) =>
      meanings.flatMap((meaning) => phraseEnds(meaning, this.plain, at).map((end) => [meaning, end] as const))
    )
  }

  /** Reads the name of a column, in quotes or without. */
  readonly column: Parser<number> = this.#terminal((at) => {
    const quote = this.#quoteAt(at)
    const named = this.#columns.flatMap((name, index): ReadonlyArray<Reading<number>> => {
      if (quote !== undefined && folded(quote[0]) === name) return [[index, quote[1]]]
      return name !== "" && this.plain.startsWith(name, at) && endsWord(this.plain, at + name.length)
        ? [[index, at + name.length]]
        : []
    })
    return named.toSorted((a, b) => b[1] - a[1])
  })

  /** Reads a whole number, in digits or as a Chinese one up to ten. */
  readonly count: Parser<number> = this.#terminal((at) => {
    const found = this.#match(/\d{1,6}(?![\d.,]*\d|[\p{Script=Latin}_%])|[一二两三四五六七八九十]/uy, at)
    if (found === undefined) return []
    const digit = "一二三四五六七八九十".indexOf(found.replace("两", "二")) + 1
    return [[digit > 0 ? digit : Number(found), at + found.length]]
  })

  /** Reads a value that a column is compared with: quoted, a label of it, or a number or date in its notation. */
  value(index: number, operator: Operator): Parser<string> {
    const column = this.#table.columns[index]
    const read = this.#terminal((at): ReadonlyArray<Reading<string>> => {
      if (column === undefined) return []
      const quote = this.#quoteAt(at)
      if (quote !== undefined) return isComparable(column, operator, quote[0]) ? [quote] : []
      const word = this.#match(/[^\s,;!?。"]+/uy, at) ?? ""
      if (column.kind !== "text") return this.#spansAt(at).filter(([text]) => isComparable(column, operator, text))
      if (operator === "contains")
        return word === "" ? [] : [[this.written.slice(at, at + word.length), at + word.length]]
      const labels = column.labels.flatMap((label): ReadonlyArray<Reading<string>> => {
        const plain = folded(normalised(label))
        const isHere = this.plain.startsWith(plain, at) && endsWord(this.plain, at + plain.length)
        return isHere ? [[label, at + plain.length]] : []
      })
      const unit = column.names === undefined ? undefined : column.labels.find((label) => isLabelOf(label, word, true))
      return [
        ...labels.toSorted((a, b) => b[1] - a[1]),
        ...(unit === undefined ? [] : [[unit, at + word.length] as const])
      ]
    })
    return (at) => {
      if (at >= this.understood) this.wanted = { column: index, at }
      return read(at)
    }
  }

  /** Reads the name of the file. */
  readonly fileName: Parser<string> = this.#terminal((at) =>
    this.#file !== "" && this.plain.startsWith(this.#file, at) ? [[this.#file, at + this.#file.length]] : []
  )

  readonly comma: Parser<unknown> = this.#terminal((at) => {
    const found = this.#match(/[,、]/uy, at)
    return found === undefined ? [] : [[found, at + 1]]
  })

  /** Reads what ends a sentence or a line. */
  readonly stop: Parser<unknown> = this.#terminal((at) => {
    const found = this.#match(/(?:[.;!?。~]+(?=\s|$|\p{Script=Han})|\n)[\s.;!?。~]*/uy, at)
    return found === undefined ? [] : [[found, at + found.length]]
  })

  /** Tells whether only signs stand behind a place. */
  isEnd(at: number): boolean {
    return /^[\s.,;!?。~…]*$/u.test(this.plain.slice(at))
  }

  /** The runs of words that are no phrase of the language and nothing of the data, as they are written. */
  unknownWords(): ReadonlyArray<string> {
    const runs: Array<{ readonly from: number; until: number }> = []
    for (let at = 0; at < this.plain.length;) {
      const known = this.#knownEnd(at)
      if (known !== undefined) {
        at = known
        continue
      }
      const word = this.#match(
        /\p{Script=Han}|[^\s\p{P}\p{S}\p{Script=Han}]+(?:['_.-][^\s\p{P}\p{S}\p{Script=Han}]+)*/uy,
        at
      )
      const end = at + (word?.length ?? 1)
      const last = runs.at(-1)
      if (word !== undefined && last !== undefined && /^ ?$/.test(this.plain.slice(last.until, at))) last.until = end
      else if (word !== undefined) runs.push({ from: at, until: end })
      at = end
    }
    return [...new Set(runs.map(({ from, until }) => this.written.slice(from, until)))]
  }

  /** Reads at a place or behind the space there, and remembers how far the request was understood. */
  #terminal<A>(read: Parser<A>): Parser<A> {
    return (at) => {
      const readings = read(this.plain[at] === " " ? at + 1 : at)
      for (const [, end] of readings) this.understood = Math.max(this.understood, end)
      return readings
    }
  }

  #knownEnd(at: number): number | undefined {
    const isKnown = this.#spansAt(at).find(
      ([text]) => parseAmount(text, ".") !== undefined || parsePeriod(text) !== undefined
    )
    const names = [
      ...this.#columns,
      this.#file,
      ...this.#table.columns
        .flatMap((column) => (column.kind === "text" ? column.labels.slice(0, 1000) : []))
        .map(folded)
    ].filter((name) => name !== "" && this.plain.startsWith(name, at) && endsWord(this.plain, at + name.length))
    const ends = [isKnown?.[1], longestPhraseEnd(this.plain, at), this.#quoteAt(at)?.[1]].filter(
      (end) => end !== undefined
    )
    const longest = Math.max(at, ...ends, ...names.map((name) => at + name.length))
    return longest > at ? longest : undefined
  }

  /** The texts from a place that end with a word, the longest first. */
  #spansAt(at: number): ReadonlyArray<Reading<string>> {
    return Array.from({ length: Math.min(30, this.plain.length - at) }, (_, i) => at + i + 1)
      .filter((end) => endsWord(this.plain, end) && /[^\s.,;!?。]/u.test(this.plain.slice(end - 1, end)))
      .map((end) => [this.written.slice(at, end), end] as const)
      .toReversed()
  }

  #quoteAt(at: number): Reading<string> | undefined {
    const found = this.#match(/"[^"\n]+"|'[^'\n]+'(?!\p{L})|`[^`\n]+`/uy, at)
    return found === undefined ? undefined : [this.written.slice(at + 1, at + found.length - 1), at + found.length]
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.plain)?.[0]
  }
}

/** Reads parts of which each may be missing. */
export const maybe = (...parts: ReadonlyArray<Parser<unknown>>): Parser<unknown> =>
  parts.reduce<Parser<unknown>>(
    (before, part) => (at) => before(at).flatMap(([, end]) => alt(part, nothing)(end)),
    nothing
  )

const nothing: Parser<unknown> = (at) => [[undefined, at]]

const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[’‘]/g, "'")
    .replace(/[“”„「」『』]/g, '"')
    .replace(/[^\S\n]+/g, " ")

/** The text in lower case, simplified characters and with a space for "_", of the same length. */
const folded = (text: string): string =>
  simplified(text)
    .replaceAll("_", " ")
    .replace(/\p{Lu}/gu, (letter) => {
      const lower = letter.toLowerCase()
      return lower.length === letter.length ? lower : letter
    })
