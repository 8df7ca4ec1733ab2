import { parsePeriod } from "../data/Dates.ts"
import { parseAmount } from "../data/Numbers.ts"
import type { Table } from "../data/Table.ts"
import type { SourceText } from "./SourceText.ts"
import { longestPhraseEnd } from "./Words.ts"

/** The runs of words that are no phrase of the language and nothing of the data, as they are written. */
export const unknownWords = (source: SourceText, table: Table, fileName: string): ReadonlyArray<string> => {
  const names = table.columns.flatMap((column) => [
    column.name,
    ...(column.kind === "text" ? column.labels.slice(0, MAX_LABELS) : [])
  ])
  const runs: Array<{ readonly from: number; until: number }> = []
  for (let at = 0; at < source.plain.length;) {
    const amount = source
      .spansAt(at)
      .find(([text]) => parseAmount(text, ".") !== undefined || parsePeriod(text) !== undefined)?.[1]
    const ends = [amount, longestPhraseEnd(source.plain, at), source.quoteAt(at)?.[1]]
    const known = [...ends, ...[fileName, ...names].map((name) => source.endOf(name, at))]
    const end = known.reduce<number>((longest, each) => Math.max(longest, each ?? at), at)
    const word = end > at ? undefined : source.match(WORD, at)
    const last = runs.at(-1)
    if (word !== undefined && last !== undefined && /^ ?$/.test(source.plain.slice(last.until, at)))
      last.until = at + word.length
    else if (word !== undefined) runs.push({ from: at, until: at + word.length })
    at = end > at ? end : at + (word?.length ?? 1)
  }
  return [...new Set(runs.map(({ from, until }) => source.written.slice(from, until)))]
}

const MAX_LABELS = 1000
const WORD = /\p{Script=Han}|[^\s\p{P}\p{S}\p{Script=Han}]+(?:['_.-][^\s\p{P}\p{S}\p{Script=Han}]+)*/uy
