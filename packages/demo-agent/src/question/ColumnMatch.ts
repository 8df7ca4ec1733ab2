import damerauLevenshtein from "damerau-levenshtein"
import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"

/** The column that a phrase names. */
export interface ColumnMatch {
  readonly index: number
  readonly name: string
  /** Other columns that match equally well; a note names them. */
  readonly others: ReadonlyArray<string>
}

/** Finds the column of a table that a phrase names: exactly, by its words, by a beginning, or with a typing error. */
export const findColumn = (table: Table, phrase: string): ColumnMatch | undefined =>
  matchName(
    table.columns.map((column) => column.name),
    phrase
  )

/** Finds the name that best matches a phrase. */
export const matchName = (names: ReadonlyArray<string>, phrase: string): ColumnMatch | undefined => {
  const exact = names.findIndex((name) => name.toLowerCase() === phrase.trim().toLowerCase())
  // A name that the file repeats has a number behind it.
  const repeats = names.filter((name) => name.startsWith(`${names[exact] ?? ""} (`) && /^.* \(\d+\)$/.test(name))
  if (exact >= 0) return { index: exact, name: names[exact] ?? "", others: repeats }
  const phraseWords = wordsOf(phrase).filter((word) => !FILLER.has(word))
  if (phraseWords.length === 0) return undefined
  const scores = names.map((name, index) => ({ index, name, score: scoreName(wordsOf(name), phraseWords) }))
  const bestScore = Math.max(...scores.map((entry) => entry.score))
  const [first, ...others] = scores.filter((entry) => entry.score === bestScore)
  if (bestScore < 0.5 || first === undefined) return undefined
  return { index: first.index, name: first.name, others: others.slice(0, 3).map((entry) => entry.name) }
}

/** Names the other columns that a phrase could have meant. */
export const ambiguityNotes = ({ name, others }: Pick<ColumnMatch, "name" | "others">): ReadonlyArray<string> =>
  others.length === 0
    ? []
    : [
        Language.text(
          `I took ${Markdown.bold(name)}; ${Markdown.joinWords(others.map(Markdown.bold))} would fit as well.`,
          `我用了 ${Markdown.bold(name)}；${Markdown.joinWords(others.map(Markdown.bold))} 也说得通。`
        )
      ]

/** Says that no column has this name, and lists the columns. */
export const unknownColumn = (table: Table, phrase: string): string => {
  const names = table.columns.map((column) => Markdown.bold(column.name))
  const columnList =
    names.length <= 12
      ? Markdown.joinWords(names)
      : Language.text(
          `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`,
          `${names.slice(0, 12).join("、")}等 ${names.length} 列`
        )
  const shown = Markdown.escapeText(phrase)
  return Language.text(
    `${phrase === "" ? "" : `I found no column “${shown}”. `}The columns are ${columnList}.`,
    `${phrase === "" ? "" : `我没有找到列“${shown}”。`}数据的列有 ${columnList}。`
  )
}

const FILLER = new Set("the a an column columns field values value of all its their each every data".split(" "))

const scoreName = (name: ReadonlyArray<string>, phraseWords: ReadonlyArray<string>): number => {
  if (name.length === 0) return 0
  const joinedName = name.join("")
  const joinedPhrase = phraseWords.join("")
  if (joinedName === joinedPhrase) return 1
  if (singular(joinedName) === singular(joinedPhrase)) return 0.95
  const worstScore = Math.min(...phraseWords.map((word) => Math.max(...name.map((part) => scoreWord(part, word)))))
  if (worstScore >= 0.6)
    return 0.6 + 0.25 * worstScore + 0.05 * (phraseWords.length / Math.max(phraseWords.length, name.length))
  return isMisspelt(joinedName, joinedPhrase) ? 0.7 : 0
}

const scoreWord = (part: string, word: string): number => {
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
