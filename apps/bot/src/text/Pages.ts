import * as Document from "./Document.ts"
import * as Layout from "./Layout.ts"
import { fitsFirst, lineBreakAt } from "./LineBreak.ts"

/** One Discord message of a longer text. */
export interface Page {
  /** The message text. */
  readonly content: string
  /** The shown part of the source, piece by piece. */
  readonly pieces: ReadonlyArray<Layout.Piece>
}

/** The page limit. Discord counts code points; the number of UTF-16 units is at least as large. */
export const limit = 2000

/** Splits a complete Markdown text into pages; see {@link splitter}. */
export const split = (text: string): ReadonlyArray<Page> => splitter()(text, { hasEnded: true })

/** Renders Markdown for Discord without splitting. */
export const unsplit = (text: string): string =>
  Layout.render(Document.parse(text, begin, { hasEnded: true }).lines, { isEnd: true }).content

/** The source text of pages: `joined(split(text))` equals `text`. */
export const joined = (pages: ReadonlyArray<Page>): string =>
  pages.map((page) => page.pieces.map(({ source }) => source).join("")).join("")

/**
 * Splits a growing text into pages of at most {@link limit} characters. Prefers paragraphs, then lines, sentences and words;
 * never splits a grapheme or leaves a code block open. A page's end depends only on the text up to the first character
 * that does not fit. A full page therefore stays the same, and only later text is parsed again. While the text grows, the
 * last page withholds possible markup; the complete text shows every word. Makes at most `most` pages.
 */
export const splitter = (
  most = Number.POSITIVE_INFINITY
): ((text: string, end: Document.TextEnd) => ReadonlyArray<Page>) => {
  const nothing = { text: "", hasEnded: false, full: [] as ReadonlyArray<Page>, start: begin }
  let known = nothing
  return (grown, { hasEnded }) => {
    const goesOn = known.hasEnded ? hasEnded && grown === known.text : grown.startsWith(known.text)
    const { full, start } = goesOn ? known : nothing
    const text = hasEnded ? grown : withoutHalf(grown)
    const made = full.length >= most ? { full, start, last: undefined } : pagesFrom(text, start, hasEnded, full, most)
    known = { text, hasEnded, full: made.full, start: made.start }
    return made.last === undefined ? made.full : [...made.full, withRest(made.last, grown.slice(text.length))]
  }
}

/** The start of a page. */
interface PageStart extends Document.TextPosition {
  /** The page starts in a table that is shown unchanged, because a row alone exceeds a page. */
  readonly startsInRawTable: boolean
}

const begin: PageStart = { at: 0, block: 0, startsInRawTable: false }

/** Without a trailing lone surrogate, whose other half may follow. */
const withoutHalf = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

/** A page with an unsettled end. */
const withRest = ({ content, pieces }: Page, rest: string): Page => ({
  content,
  pieces: rest === "" ? pieces : [...pieces, { source: rest, shown: "" }]
})

/** Adds the pages after the full ones; the last page is not limited. */
const pagesFrom = (
  text: string,
  from: PageStart,
  hasEnded: boolean,
  before: ReadonlyArray<Page>,
  most: number
): { readonly full: ReadonlyArray<Page>; readonly last: Page | undefined; readonly start: PageStart } => {
  const document = Document.parse(text, from, { hasEnded })
  const full = [...before]
  let start = from
  while (full.length < most) {
    const { next, page } = pageAt(document, start)
    if (next === undefined) return { full, last: page, start }
    full.push(page)
    start = next
  }
  return { full, last: undefined, start }
}

/** A page and the start of the next one; none when it contains all the rest. */
interface Found {
  readonly page: Page
  readonly next: PageStart | undefined
}

/** A possible end of a page, after a number of lines. */
interface Candidate {
  readonly count: number
  /** Its last nonblank line. */
  readonly line: Document.Line
  /** The page's fill level there; 1 is full. */
  readonly fill: number
  readonly isParagraph: boolean
}

/** The lines from the start of a page on, and their rendering. */
interface Rest {
  readonly document: Document.Document
  readonly lines: ReadonlyArray<Document.Line>
  readonly options: Layout.LayoutOptions
}

/** The text from a page's start. A page that starts in the middle of a table line shows that table's source, too. */
const restAt = (document: Document.Document, { at, startsInRawTable }: PageStart): Rest => {
  const index = document.lines.findIndex((line) => Document.endOf(line) > at)
  const [first, ...others] = index === -1 ? [] : document.lines.slice(index)
  const lines = first === undefined ? [] : [Document.slice(first, at - first.at, first.text.length), ...others]
  const part = lines[0]?.part
  const table = part !== undefined && "table" in part ? part.table : undefined
  return {
    document,
    lines,
    options: { rawTable: startsInRawTable || lines[0]?.inside !== undefined ? table : undefined }
  }
}

/** The page that starts at a position. */
const pageAt = (document: Document.Document, start: PageStart): Found => {
  const rest = restAt(document, start)
  const { lines } = rest
  const lastVisible = document.hasEnded
    ? lines.findLastIndex((line) => !Document.isBlank(line))
    : Number.POSITIVE_INFINITY
  const optionsAt = (index: number) => ({ ...rest.options, isEnd: index >= lastVisible })
  const whole = optionsAt(lines.length)
  if (neverShrinks(lines) && fits(Layout.measure(lines, whole))) return { page: pageOf(lines, whole), next: undefined }
  const candidates: Array<Candidate> = []
  for (const [index, line] of lines.entries()) {
    const last = candidates.at(-1)
    if (line.isComplete && Document.isBlank(line) && last !== undefined) {
      candidates[candidates.length - 1] = { ...last, count: index + 1, isParagraph: true }
      continue
    }
    if (candidates.length === mostLines && last !== undefined) return ending(rest, last)
    const length = lengthWith(lines.slice(0, index), line, optionsAt(index))
    if (length === undefined) return overflow(rest, start, candidates, index)
    if (line.isComplete) candidates.push({ count: index + 1, line, fill: length / limit, isParagraph: false })
  }
  return { page: pageOf(lines, whole), next: undefined }
}

/** Whether several lines exceed the limit together but not alone; a block must not start so. */
const neverShrinks = (lines: ReadonlyArray<Document.Line>): boolean =>
  lines.length <= mostLines &&
  lines.every(({ part, text }) => (part._tag === "Text" || part._tag === "Code") && text.length <= limit)

/** A page that ends before the line at an index. */
const overflow = (rest: Rest, start: PageStart, candidates: ReadonlyArray<Candidate>, index: number): Found => {
  const { lines, options } = rest
  const line = lines[index]
  const last = candidates.at(-1)
  if (line === undefined) throw new Error("no line has no room")
  const possible = candidates.filter((each) => !keepsWithNext(each, lines[each.count]))
  const best = bestOf(possible, lines)
  if (best !== undefined) return ending(rest, best)
  const isRow = "table" in line.part && line.part._tag !== "Header" && line.part.table !== options.rawTable
  if (isRow && last === undefined) return pageAt(rest.document, { ...start, startsInRawTable: true })
  // A page with only a fence would be invisible, here and on the next page.
  const isFirst = candidates.every(({ line }) => line.part._tag === "Opener")
  const cut = isRow ? undefined : cutOf(lines.slice(0, index), line, options, isFirst)
  if (cut !== undefined)
    return { page: pageOf([...lines.slice(0, index), cut], options), next: pageStartAt(rest, Document.endOf(cut)) }
  const any = possible.at(-1) ?? last
  if (any !== undefined) return ending(rest, any)
  throw new Error("a page has no room for a single character")
}

/** The best end of a page among the sufficiently filled ones. */
const bestOf = (possible: ReadonlyArray<Candidate>, lines: ReadonlyArray<Document.Line>): Candidate | undefined => {
  const noHeading = possible.filter(({ line: { part } }) => !(part._tag === "Text" && part.isHeading))
  const plain = noHeading.filter(({ line: { part } }) => part._tag !== "Code" && part._tag !== "Opener")
  // A nested list entry would lose its level at the top of a page.
  const outer = plain.filter(({ count }) => !/^[ \t]+\S/.test(lines[count]?.text ?? ""))
  return (
    outer.findLast((each) => each.isParagraph && each.fill >= 0.5) ??
    outer.findLast((each) => each.fill >= 0.5) ??
    plain.findLast((each) => each.fill >= 0.5) ??
    noHeading.findLast((each) => each.fill >= 0.3)
  )
}

/** A table's header and a code block's fence stay with their next line. */
const keepsWithNext = ({ isParagraph, line: { part } }: Candidate, next: Document.Line | undefined): boolean => {
  if (part._tag === "Opener") return true
  const mayBeHeader = part._tag === "Header" || (part._tag === "Text" && part.mayBeHeader)
  return mayBeHeader && !isParagraph && next?.text.trimStart().startsWith("|") === true
}

/** The part of a line that fits after other lines, unless the whole line should move to the next page. */
const cutOf = (
  before: ReadonlyArray<Document.Line>,
  line: Document.Line,
  options: Layout.LayoutOptions,
  isFirst: boolean
): Document.Line | undefined => {
  const most = roomFor(before, line, options)
  // Do not cut a possible fence; cut a grapheme only when it is longer than a page.
  const isWhole =
    most === 0 || most >= line.text.length || (most < 300 && /^[\s>*+\-\d.)]*(?:`{3}|~{3})/.test(line.text))
  if (isWhole || !(isFirst || fitsFirst(line.text, most))) return undefined
  return Document.slice(line, 0, lineBreakAt(line.text, most, { isCode: line.part._tag === "Code" }))
}

/** The number of a line's characters that fit after other lines. */
const roomFor = (before: ReadonlyArray<Document.Line>, line: Document.Line, options: Layout.LayoutOptions): number => {
  let least = 0
  let most = Math.min(line.text.length, maxMeasuredLength)
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(Layout.measure([...before, Document.slice(line, 0, middle)], options))) least = middle
    else most = middle - 1
  }
  return least
}

/** The page that ends at a candidate. */
const ending = (rest: Rest, { count }: Candidate): Found => {
  const shown = rest.lines.slice(0, count)
  const last = shown.at(-1)
  return { page: pageOf(shown, rest.options), next: pageStartAt(rest, last === undefined ? 0 : Document.endOf(last)) }
}

const pageStartAt = ({ document }: Rest, at: number): PageStart => ({
  at,
  block: document.starts.findLast((start) => start < at) ?? 0,
  startsInRawTable: false
})

const pageOf = (lines: ReadonlyArray<Document.Line>, options: Layout.LayoutOptions): Page =>
  Layout.render(lines, { ...options, asList: !fits(Layout.measure(lines, options)) })

/** The length of lines on one page, if they fit; a table at their end may become a list for it. */
const lengthWith = (
  before: ReadonlyArray<Document.Line>,
  line: Document.Line,
  options: Layout.LayoutOptions
): number | undefined => {
  const isTable = "table" in line.part
  // If the beginning of a very long line does not fit, the whole is not measured.
  if (!isTable && line.text.length > maxMeasuredLength) {
    const part = Layout.measure([...before, Document.slice(line, 0, maxMeasuredLength)], options)
    if (!fits(part)) return undefined
  }
  const length = Layout.measure([...before, line], options)
  if (fits(length)) return length
  const list = isTable ? Layout.measure([...before, line], { ...options, asList: true }) : length
  return fits(list) ? list : undefined
}

/** The longest part of a line that is measured; a longer part never fits. */
const maxMeasuredLength = 8 * limit

/** The largest number of source lines of a page, hidden ones included. */
const mostLines = 200

const fits = (length: number): boolean => length <= limit
