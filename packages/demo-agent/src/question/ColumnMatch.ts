import damerauLevenshtein from "damerau-levenshtein"
import type { Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"

/** The column a phrase means. */
export interface ColumnMatch {
  readonly index: number
  readonly name: string
  /** Other columns that fit equally well; the reader is told. */
  readonly others: ReadonlyArray<string>
}

/** Finds the column of a table that a phrase names: exactly, by its words, by a beginning, or with a typing error. */
export const findColumn = (table: Table, phrase: string): ColumnMatch | undefined =>
  matchName(
    table.columns.map((column) => column.name),
    phrase
  )

/** Finds the name that a phrase means. */
export const matchName = (names: ReadonlyArray<string>, phrase: string): ColumnMatch | undefined => {
  const exact = names.findIndex((name) => name === phrase.trim())
  if (exact >= 0) return { index: exact, name: names[exact] ?? "", others: [] }
  const wanted = wordsOf(phrase).filter((word) => !FILLER.has(word))
  if (wanted.length === 0) return undefined
  const scored = names.map((name, index) => ({ index, name, score: scoreOf(wordsOf(name), wanted) }))
  const top = Math.max(...scored.map((entry) => entry.score))
  const [first, ...others] = scored.filter((entry) => entry.score === top)
  if (top < 0.5 || first === undefined) return undefined
  return { index: first.index, name: first.name, others: others.slice(0, 3).map((entry) => entry.name) }
}

/** Names the other columns that a phrase could have meant. */
export const ambiguityNotes = ({ name, others }: Pick<ColumnMatch, "name" | "others">): ReadonlyArray<string> =>
  others.length === 0
    ? []
    : [`I took ${Markdown.bold(name)}; ${Markdown.list(others.map(Markdown.bold))} would fit as well.`]

/** Says that no column has this name, and which there are. */
export const unknownColumn = (table: Table, phrase: string): string => {
  const names = table.columns.map((column) => Markdown.bold(column.name))
  const known =
    names.length <= 12 ? Markdown.list(names) : `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`
  return `${phrase === "" ? "" : `I found no column “${Markdown.cell(phrase)}”. `}The columns are ${known}.`
}

const FILLER = new Set("the a an column columns field values value of all its their each every data".split(" "))

const scoreOf = (name: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number => {
  if (name.length === 0) return 0
  const joined = name.join("")
  const asked = wanted.join("")
  if (joined === asked) return 1
  if (singular(joined) === singular(asked)) return 0.95
  const worst = Math.min(...wanted.map((word) => Math.max(...name.map((part) => wordScore(part, word)))))
  if (worst >= 0.6) return 0.6 + 0.25 * worst + 0.05 * (wanted.length / Math.max(wanted.length, name.length))
  return isMisspelt(joined, asked) ? 0.7 : 0
}

const wordScore = (part: string, word: string): number => {
  if (part === word) return 1
  if (singular(part) === singular(word)) return 0.95
  if (word.length >= 3 && part.startsWith(word)) return 0.8
  return isMisspelt(part, word) ? 0.7 : 0
}

const singular = (word: string): string =>
  word.endsWith("ies") && word.length > 4
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith("s")
      ? word.slice(0, -1)
      : word

/** One typing error in a word, two in a long one. */
const isMisspelt = (name: string, word: string): boolean =>
  word.length >= 4 &&
  Math.abs(name.length - word.length) <= 2 &&
  Math.max(name.length, word.length) <= 60 &&
  damerauLevenshtein(name, word).steps <= (word.length >= 8 ? 2 : 1)
