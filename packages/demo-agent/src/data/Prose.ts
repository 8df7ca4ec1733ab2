import { readStructure, type ChecklistItem, type Link, type MarkdownStructure } from "./MarkdownStructure.ts"
import { countLine, mostFrequentWords, emptyTextCounts } from "./TextCounts.ts"

/** The counts and the structure of a Markdown or plain text. */
export interface Prose {
  readonly lines: number
  readonly characters: number
  readonly words: number
  readonly sentences: number
  readonly paragraphs: number
  /** At {@link WORDS_PER_MINUTE}, at least one. */
  readonly readingMinutes: number
  readonly longestLine: number
  readonly headings: ReadonlyArray<Heading>
  readonly links: ReadonlyArray<Link>
  readonly items: ReadonlyArray<ChecklistItem>
  readonly codeBlocks: number
  readonly tables: number
  /** Up to 20 words without English and German stop words, most frequent first. */
  readonly frequentWords: ReadonlyArray<readonly [word: string, times: number]>
}

/** One heading, its line from 1, and the number of words that follow it up to the next one. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly line: number
  readonly words: number
}

/** Parses and counts a text; yields to the event loop and stops when the signal aborts. */
export const readProse = async (text: string, isMarkdown: boolean, signal: AbortSignal): Promise<Prose> => {
  const structure = isMarkdown ? readStructure(text) : NO_STRUCTURE
  const links: Array<Link> = [...structure.links]
  const headings = structure.headings.map(({ level, lines, text }) => ({ level, text, line: lines[0] + 1, words: 0 }))
  const counts = emptyTextCounts()
  let lines = 0
  let section = -1
  let codeBlock = 0
  for (const line of linesOf(text)) {
    const index = lines++
    if (lines % 2000 === 0 || line.length > 100_000) {
      signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
    counts.longestLine = Math.max(counts.longestLine, line.length)
    while (index >= (structure.codeBlocks[codeBlock]?.[1] ?? Infinity)) codeBlock++
    if (index >= (structure.codeBlocks[codeBlock]?.[0] ?? Infinity)) continue
    if (!isMarkdown) links.push(...findAddresses(line))
    while (index >= (structure.headings[section + 1]?.lines[0] ?? Infinity)) section++
    const words = countLine(counts, line)
    const heading = headings[section]
    if (heading !== undefined && index >= (structure.headings[section]?.lines[1] ?? 0)) heading.words += words
  }
  const { longestLine, paragraphs, words } = counts
  return {
    lines: text === "" || text.endsWith("\n") ? lines - 1 : lines,
    characters: countCharacters(text),
    words,
    sentences: words > 0 ? Math.max(1, counts.sentences) : 0,
    paragraphs,
    readingMinutes: Math.max(1, Math.round(words / WORDS_PER_MINUTE)),
    longestLine,
    headings,
    links,
    items: structure.items,
    codeBlocks: structure.codeBlocks.length,
    tables: structure.tables,
    frequentWords: mostFrequentWords(counts)
  }
}

const WORDS_PER_MINUTE = 230
const NO_STRUCTURE: MarkdownStructure = { headings: [], links: [], items: [], tables: 0, codeBlocks: [] }

/** The web addresses in a line of plain text. */
const findAddresses = (line: string): ReadonlyArray<Link> =>
  line.includes("://")
    ? [...line.matchAll(/\bhttps?:\/\/[^\s<>"'`)\]]{1,2000}/g)].map(([url]) => ({
        text: "",
        url: url.replace(/[.,;:!?]+$/, "")
      }))
    : []

/** Code points: a surrogate pair is one character to a reader. */
const countCharacters = (text: string): number =>
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
