import type { DataNames } from "./DataNames.ts"
import { knownEnd } from "./Lexicon.ts"
import { NUMBER, NUMBER_WITH_UNIT, PERIODS } from "./Literals.ts"
import type { SourceText } from "./SourceText.ts"

/** The words that are no part of any request, each run as it is written. */
export const unknownWords = (source: SourceText, names: DataNames, fileName: string): ReadonlyArray<string> => {
  const runs: Array<{ from: number; until: number }> = []
  for (let at = 0; at < source.plain.length;) {
    const space = source.match(/[\s\p{P}\p{S}]+/uy, at)
    const known = knownEndAt(source, names, fileName, at)
    if (known !== undefined) at = known
    else if (space !== undefined) at += space.length
    else {
      const word =
        source.match(/\p{Script=Han}|[^\s\p{P}\p{S}\p{Script=Han}]+(?:['’_.-][^\s\p{P}\p{S}\p{Script=Han}]+)*/uy, at) ??
        source.plain.slice(at, at + 1)
      const last = runs.at(-1)
      const between = last === undefined ? "x" : source.plain.slice(last.until, at)
      // A Chinese word may hold a character that is a word of its own.
      if (last !== undefined && /^\s*\p{Script=Han}{0,2}\s*$/u.test(between)) last.until = at + word.length
      else
        runs.push({
          from: at - (/[日天月周季年图列行条总前后]$/u.exec(source.plain.slice(0, at))?.[0].length ?? 0),
          until: at + word.length
        })
      at += word.length
    }
  }
  return [...new Set(runs.map(({ from, until }) => source.written.slice(from, until)))]
}

const knownEndAt = (source: SourceText, names: DataNames, fileName: string, at: number): number | undefined => {
  const ends = [
    names.columnsAt(at),
    names.valuesAt(at),
    source.spans([...PERIODS, NUMBER_WITH_UNIT, NUMBER], at),
    fileName !== "" && source.plain.startsWith(fileName, at) ? [[fileName, at + fileName.length] as const] : []
  ]
    .flat()
    .map(([, end]) => end)
  const phrase = knownEnd(source.plain, at)
  const longest = Math.max(phrase ?? at, ...ends)
  const quote = source.quoteAt(at)
  return longest > at ? longest : quote?.[1]
}
