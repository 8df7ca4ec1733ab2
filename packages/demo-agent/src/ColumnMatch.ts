/** The column a phrase means. */
export interface ColumnMatch {
  readonly index: number
  readonly name: string
  /** Other columns that fit equally well; the reader is told. */
  readonly others: ReadonlyArray<string>
}

/** Finds the column that a phrase names: exactly, by its words, by a beginning, or with a typing error. */
export const matchColumn = (names: ReadonlyArray<string>, phrase: string): ColumnMatch | undefined => {
  const exact = names.findIndex((name) => name === phrase.trim())
  if (exact >= 0) return { index: exact, name: names[exact] ?? "", others: [] }
  const wanted = wordsOf(phrase).filter((word) => !FILLER.has(word))
  if (wanted.length === 0) return undefined
  const scored = names.map((name, index) => ({ index, name, score: scoreOf(wordsOf(name), wanted) }))
  const top = Math.max(...scored.map((entry) => entry.score))
  if (top < 0.5) return undefined
  const best = scored.filter((entry) => entry.score === top)
  const first = best[0]
  return first === undefined
    ? undefined
    : { index: first.index, name: first.name, others: best.slice(1, 4).map((entry) => entry.name) }
}

/** Splits a column name or a phrase into lower-case words: `unitPrice`, `unit_price` and "Unit price" are the same. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

const FILLER = new Set([
  "the",
  "a",
  "an",
  "column",
  "columns",
  "field",
  "values",
  "value",
  "of",
  "all",
  "its",
  "their",
  "each",
  "every",
  "data"
])

const scoreOf = (name: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number => {
  if (name.length === 0) return 0
  const joined = name.join("")
  const asked = wanted.join("")
  if (joined === asked) return 1
  if (singular(joined) === singular(asked)) return 0.95
  const per = wanted.map((word) => Math.max(...name.map((part) => wordScore(part, word))))
  const worst = Math.min(...per)
  if (worst >= 0.6) return 0.6 + 0.25 * worst + 0.05 * (wanted.length / Math.max(wanted.length, name.length))
  return asked.length >= 4 && distance(joined, asked) <= (asked.length >= 8 ? 2 : 1) ? 0.7 : 0
}

const wordScore = (part: string, word: string): number => {
  if (part === word) return 1
  if (singular(part) === singular(word)) return 0.95
  if (word.length >= 3 && part.startsWith(word)) return 0.8
  if (word.length >= 4 && distance(part, word) <= (word.length >= 8 ? 2 : 1)) return 0.7
  return 0
}

const singular = (word: string): string =>
  word.endsWith("ies") && word.length > 4
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith("s")
      ? word.slice(0, -1)
      : word

/** Edits (insert, delete, replace, swap of neighbours) between two short words; 9 when they are clearly apart. */
const distance = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > 2 || a.length > 60 || b.length > 60) return 9
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 9) + 1, (row[j - 1] ?? 9) + 1, (last[j - 1] ?? 9) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 9) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 9
}
