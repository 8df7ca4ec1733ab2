import { parsePeriod } from "../data/Dates.ts"
import type { Table } from "../data/Table.ts"
import { alt, type Parser, type Reading } from "./Grammar.ts"
import { DataNames } from "./DataNames.ts"
import { fillerEnds, phraseEnds, type Meaning } from "./Lexicon.ts"
import { numberOf, periodOf, NUMBER, NUMBER_WITH_UNIT, PERIODS } from "./Literals.ts"
import { plain, type CellValue } from "./Names.ts"
import { SourceText } from "./SourceText.ts"
import { unknownWords } from "./UnknownWords.ts"

/** Reads the words of a request: known phrases, and the names and values of the data. */
export class Scanner {
  readonly source: SourceText
  readonly names: DataNames
  readonly #file: string
  readonly #places = new Map<number, ReadonlyArray<number>>()
  readonly #words = new Map<Meaning, Parser<Meaning>>()

  constructor(request: string, table: Table | undefined, fileName: string) {
    this.source = new SourceText(request)
    this.names = new DataNames(this.source, table)
    this.#file = plain(fileName)
  }

  /** Reads a phrase of one of these meanings; filler words may stand before it. */
  word(...meanings: ReadonlyArray<Meaning>): Parser<Meaning> {
    return alt(...meanings.map((meaning) => this.#word(meaning)))
  }

  #word(meaning: Meaning): Parser<Meaning> {
    const known = this.#words.get(meaning)
    if (known !== undefined) return known
    const word = this.#terminal((at) =>
      phraseEnds(meaning, this.source.plain, at)
        .filter((end) => !VAGUE.has(meaning) || !this.names.holdsData(at, end))
        .map((end) => [meaning, end] as const)
    )
    this.#words.set(meaning, word)
    return word
  }

  /** Reads the name of a column: quoted, whole, or words of it that belong to no other column. */
  readonly column: Parser<number> = this.#terminal((at) => this.names.columnsAt(at))

  /** Reads values of columns of words; each reading has all columns with this value. */
  readonly value: Parser<ReadonlyArray<CellValue>> = this.#terminal((at) => this.names.valuesAt(at))

  /** Reads a whole number, in digits or in Chinese. */
  readonly count: Parser<number> = this.#terminal((at) => {
    const found = this.source.match(/(\d{1,6})(?![\d.,]*\d|[\p{Script=Latin}_%])|([一二两三四五六七八九十]{1,3})/uy, at)
    return found === undefined ? [] : [[numberOf(found), at + found.length]]
  })

  /** Reads a number as it is written, with its unit. */
  readonly number: Parser<string> = this.#terminal((at) =>
    this.source
      .spans([NUMBER, NUMBER_WITH_UNIT], at)
      .filter(([, end]) => this.source.endsWord(end))
      .map(([text, end]) => [text.trim(), end] as const)
  )

  /** Reads a day, month, quarter or year as it is written. */
  readonly period: Parser<string> = this.#terminal((at) =>
    this.source.spans(PERIODS, at).flatMap(([text, end]) => {
      const period = periodOf(text)
      return this.source.endsWord(end) && parsePeriod(period) !== undefined ? [[period, end] as const] : []
    })
  )

  /** Reads any word or quoted text, as what a text contains. */
  readonly anyText: Parser<string> = this.#terminal((at) => {
    const quote = this.source.quoteAt(at)
    if (quote !== undefined) return [quote]
    const found = this.source.match(/[\p{L}\p{N}_@.+/-]+/uy, at)?.replace(/[.]+$/, "")
    if (found === undefined || found === "") return []
    // Chinese has no spaces: the shortest text is tried first.
    const lengths = /\p{Script=Han}/u.test(found) ? Array.from(found, (_, i) => i + 1) : [found.length]
    return lengths.map((length) => [this.source.written.slice(at, at + length), at + length] as const)
  })

  /** Reads the name of the file. */
  readonly fileName: Parser<string> = this.#terminal((at) =>
    this.#file !== "" && this.source.plain.startsWith(this.#file, at) ? [[this.#file, at + this.#file.length]] : []
  )

  /** The words that are no part of any request, each run as it is written. */
  unknownWords(): ReadonlyArray<string> {
    return unknownWords(this.source, this.names, this.#file)
  }

  readonly comma: Parser<string> = this.#terminal((at) => this.source.spans([/[,、]\s*/uy], at))

  /** Reads what ends a sentence, or begins a line. */
  readonly stop: Parser<string> = (at) =>
    this.source.spans([/\s*(?:[.;!?。~:]+(?=\s|$|\p{Script=Han})|\n+|\s[-–—]+\s)\s*/uy], at)

  /** Reads the end of the request, after filler words and signs. */
  readonly end: Parser<true> = (at) => {
    const rest = this.#skipped(at).some((place) => /^[\s,.;!?。、~:…]*$/u.test(this.source.plain.slice(place)))
    return rest ? [[true, this.source.plain.length] as const] : []
  }

  /** Reads at a place, or behind filler words. */
  #terminal<A>(read: Parser<A>): Parser<A> {
    const known = new Map<number, ReadonlyArray<Reading<A>>>()
    return (at) => {
      const before = known.get(at)
      if (before !== undefined) return before
      const readings = this.#skipped(at).flatMap((place) => read(place))
      known.set(at, readings)
      return readings
    }
  }

  /** The places behind spaces and filler words, the nearest first. */
  #skipped(at: number): ReadonlyArray<number> {
    const before = this.#places.get(at)
    if (before !== undefined) return before
    const places = new Set<number>()
    const visit = (from: number): void => {
      const place = from + (this.source.match(/[ \t]+/uy, from)?.length ?? 0)
      if (places.has(place)) return
      places.add(place)
      for (const end of fillerEnds(this.source.plain, place))
        if (!this.names.isColumn(place, end) && !this.names.holdsData(place, end)) visit(end)
    }
    visit(at)
    this.#places.set(at, [...places])
    return [...places]
  }
}

/** Words that narrow nothing down; a name or value of the data must not be taken for one. */
const VAGUE: ReadonlySet<Meaning> = new Set(["thing", "profileKind", "all"])
