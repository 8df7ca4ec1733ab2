import { readStructure, type ChecklistItem, type Link, type MarkdownStructure } from "./MarkdownStructure.ts"
import { countLine, frequentWords, noText } from "./TextCounts.ts"

/** What is known of a Markdown or plain text. */
export interface Prose {
  readonly lines: number
  readonly characters: number
  readonly words: number
  readonly sentences: number
  readonly paragraphs: number
  /** At 230 words a minute, at least one. */
  readonly readingMinutes: number
  readonly longestLine: number
  readonly headings: ReadonlyArray<Heading>
  readonly links: ReadonlyArray<Link>
  readonly items: ReadonlyArray<ChecklistItem>
  readonly codeBlocks: number
  readonly tables: number
  /** The most frequent words without the commonest English and German ones, most frequent first. */
  readonly frequent: ReadonlyArray<readonly [word: string, times: number]>
}

/** One heading, its line from 1, and the number of words that follow it up to the next one. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly line: number
  readonly words: number
}

/** Measures a text; yields to the event loop and stops when the signal aborts. */
export const readProse = async (text: string, markdown: boolean, signal: AbortSignal): Promise<Prose> => {
  const structure = markdown ? readStructure(text) : PLAIN
  const links: Array<Link> = [...structure.links]
  const headings = structure.headings.map(({ level, lines, text }) => ({ level, text, line: lines[0] + 1, words: 0 }))
  const counts = noText()
  let lines = 0
  let section = -1
  let code = 0
  for (const line of linesOf(text)) {
    const at = lines++
    if (lines % 2000 === 0 || line.length > 100_000) {
      signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
    counts.longestLine = Math.max(counts.longestLine, line.length)
    while (at >= (structure.codeBlocks[code]?.[1] ?? Infinity)) code++
    if (at >= (structure.codeBlocks[code]?.[0] ?? Infinity)) continue
    if (!markdown) links.push(...addressesIn(line))
    while (at >= (structure.headings[section + 1]?.lines[0] ?? Infinity)) section++
    const words = countLine(counts, line)
    const heading = headings[section]
    if (heading !== undefined && at >= (structure.headings[section]?.lines[1] ?? 0)) heading.words += words
  }
  const { longestLine, paragraphs, words } = counts
  return {
    lines: text === "" || text.endsWith("\n") ? lines - 1 : lines,
    characters: characterCount(text),
    words,
    sentences: words > 0 ? Math.max(1, counts.sentences) : 0,
    paragraphs,
    readingMinutes: Math.max(1, Math.round(words / 230)),
    longestLine,
    headings,
    links,
    items: structure.items,
    codeBlocks: structure.codeBlocks.length,
    tables: structure.tables,
    frequent: frequentWords(counts)
  }
}

const PLAIN: MarkdownStructure = { headings: [], links: [], items: [], tables: 0, codeBlocks: [] }

/** The web addresses in a line of plain text. */
const addressesIn = (line: string): ReadonlyArray<Link> =>
  line.includes("://")
    ? [...line.matchAll(/\bhttps?:\/\/[^\s<>"'`)\]]{1,2000}/g)].map(([url]) => ({
        text: "",
        url: url.replace(/[.,;:!?]+$/, "")
      }))
    : []

/** Code points: a surrogate pair is one character to a reader. */
const characterCount = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

const linesOf = function* (text: string): Generator<string> {
  let start = 0
  for (;;) {
    const end = text.indexOf("\n", start)
    const line = end < 0 ? text.slice(start) : text.slice(start, end)
    yield line.endsWith("\r") ? line.slice(0, -1) : line
    if (end < 0) return
    start = end + 1
  }
}
