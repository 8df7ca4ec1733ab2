import * as Document from "./Document.ts"
import * as Layout from "./Layout.ts"
import { fitsFirst, lineBreakAt } from "./LineBreak.ts"

/** One Discord message of a longer text. */
export interface Page {
  /** What is sent. */
  readonly content: string
  /** The part of the text that it shows, piece by piece. */
  readonly pieces: ReadonlyArray<Layout.Piece>
}

/** The longest page. Discord counts code points; UTF-16 units are never fewer. */
export const limit = 2000

/** The most lines of a page, so that it fits a screen. */
export const lineLimit = 17

/** Splits Markdown to which nothing is added into pages; see {@link splitter}. */
export const split = (text: string): ReadonlyArray<Page> => splitter()(text, true)

/** Markdown as Discord reads it, in one piece. */
export const unsplit = (text: string): string =>
  Layout.render(Document.parse(text, begin, true).lines, { isEnd: true }).content

/** The text that pages show: `joined(split(text))` is `text`, every character of it. */
export const joined = (pages: ReadonlyArray<Page>): string =>
  pages.map((page) => page.pieces.map(({ source }) => source).join("")).join("")

/** How full a page with this content is: 1 is full. */
export const fillOf = (content: string): number => fill(Layout.sizeOf(content))

/**
 * Splits a text that grows into pages of at most {@link limit} characters and {@link lineLimit} lines: at paragraphs
 * before lines before sentences before words, never inside a grapheme, and without leaving a code block open.
 * Where a page ends depends only on the text up to the first character that it has no room for, so a page that is full
 * stays as it is while the text grows; only what comes after the full pages is parsed again. While the text grows, the
 * last page holds back what may become a mark; once it has ended, every word is shown. Of a text that takes more than
 * `most` pages the first ones are made.
 */
export const splitter = (
  most = Number.POSITIVE_INFINITY
): ((text: string, hasEnded: boolean) => ReadonlyArray<Page>) => {
  const nothing = { text: "", hasEnded: false, full: [] as ReadonlyArray<Page>, start: begin }
  let known = nothing
  return (grown, hasEnded) => {
    const goesOn = known.hasEnded ? hasEnded && grown === known.text : grown.startsWith(known.text)
    const { full, start } = goesOn ? known : nothing
    const text = hasEnded ? grown : withoutHalf(grown)
    const made = full.length >= most ? { full, start, last: undefined } : pagesFrom(text, start, hasEnded, full, most)
    known = { text, hasEnded, full: made.full, start: made.start }
    return made.last === undefined ? made.full : [...made.full, withRest(made.last, grown.slice(text.length))]
  }
}

/** Where a page begins. */
interface Place extends Document.Place {
  /** The table that the page begins in is shown as it was written: not even one row of it has room. */
  readonly raw: boolean
}

const begin: Place = { at: 0, block: 0, raw: false }

/** Without half of a surrogate pair at the end: what it becomes is not known yet. */
const withoutHalf = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

/** A page with what is not settled yet at its end. */
const withRest = ({ content, pieces }: Page, rest: string): Page => ({
  content,
  pieces: rest === "" ? pieces : [...pieces, { source: rest, shown: "" }]
})

/** Adds the pages behind those that are full; the last one has room for all the rest. */
const pagesFrom = (
  text: string,
  from: Place,
  hasEnded: boolean,
  before: ReadonlyArray<Page>,
  most: number
): { readonly full: ReadonlyArray<Page>; readonly last: Page | undefined; readonly start: Place } => {
  const document = Document.parse(text, from, hasEnded)
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

/** A page, and where the next one begins: nowhere when it has room for all the rest. */
interface Found {
  readonly page: Page
  readonly next: Place | undefined
}

/** A place where a page could end: behind so many lines. */
interface Candidate {
  readonly count: number
  /** Its last line that is not blank. */
  readonly line: Document.Line
  /** How full the page is: 1 is full. */
  readonly fill: number
  readonly isParagraph: boolean
}

/** The lines from the beginning of a page on, and how they are shown. */
interface Rest {
  readonly document: Document.Document
  readonly lines: ReadonlyArray<Document.Line>
  readonly options: Layout.LayoutOptions
}

const restAt = (document: Document.Document, { at, raw }: Place): Rest => {
  const index = document.lines.findIndex((line) => Document.endOf(line) > at)
  const [first, ...others] = index === -1 ? [] : document.lines.slice(index)
  const lines = first === undefined ? [] : [Document.slice(first, at - first.at, first.text.length), ...others]
  const part = lines[0]?.part
  const table = part !== undefined && "table" in part ? part.table : undefined
  return { document, lines, options: { raw: raw || lines[0]?.inside !== undefined ? table : undefined } }
}

/** The page that begins at a place. */
const pageAt = (document: Document.Document, start: Place): Found => {
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
    const size = sizeOf(lines.slice(0, index), line, optionsAt(index))
    if (size === undefined) return overflow(rest, start, candidates, index)
    if (line.isComplete) candidates.push({ count: index + 1, line, fill: fill(size), isParagraph: false })
  }
  return { page: pageOf(lines, whole), next: undefined }
}

/** Whether a few lines take more room than any of them alone, which the beginning of a block may not. */
const neverShrinks = (lines: ReadonlyArray<Document.Line>): boolean =>
  lines.length <= mostLines &&
  lines.every(({ part, text }) => (part._tag === "Text" || part._tag === "Code") && text.length <= limit)

/** A page that has no room for the line at an index. */
const overflow = (rest: Rest, start: Place, candidates: ReadonlyArray<Candidate>, index: number): Found => {
  const { lines, options } = rest
  const line = lines[index]
  const last = candidates.at(-1)
  if (line === undefined) throw new Error("no line has no room")
  const possible = candidates.filter((each) => !keepsWithNext(each, lines[each.count]))
  const best = bestOf(possible, lines)
  if (best !== undefined) return ending(rest, best)
  const isRow = "table" in line.part && line.part._tag !== "Header" && line.part.table !== options.raw
  if (isRow && last === undefined) return pageAt(rest.document, { ...start, raw: true })
  // A fence alone is no page: nothing of it would be seen, on this page or the next.
  const isFirst = candidates.every(({ line }) => line.part._tag === "Opener")
  const cut = isRow ? undefined : cutOf(lines.slice(0, index), line, options, isFirst)
  if (cut !== undefined)
    return { page: pageOf([...lines.slice(0, index), cut], options), next: placeAt(rest, Document.endOf(cut)) }
  const any = possible.at(-1) ?? last
  if (any !== undefined) return ending(rest, any)
  throw new Error("a page has no room for a single character")
}

/** The best end of a page that is full enough. */
const bestOf = (possible: ReadonlyArray<Candidate>, lines: ReadonlyArray<Document.Line>): Candidate | undefined => {
  const noHeading = possible.filter(({ line: { part } }) => !(part._tag === "Text" && part.isHeading))
  const plain = noHeading.filter(({ line: { part } }) => part._tag !== "Code" && part._tag !== "Opener")
  // An inner entry of a list would lose its place at the top of a page.
  const outer = plain.filter(({ count }) => !/^[ \t]+\S/.test(lines[count]?.text ?? ""))
  return (
    outer.findLast((each) => each.isParagraph && each.fill >= 0.5) ??
    outer.findLast((each) => each.fill >= 0.5) ??
    plain.findLast((each) => each.fill >= 0.5) ??
    noHeading.findLast((each) => each.fill >= 0.3)
  )
}

/** The header of a table and the fence of a code block stay with what follows them. */
const keepsWithNext = ({ isParagraph, line: { part } }: Candidate, next: Document.Line | undefined): boolean => {
  if (part._tag === "Opener") return true
  const mayBeHeader = part._tag === "Header" || (part._tag === "Text" && part.mayBeHeader)
  return mayBeHeader && !isParagraph && next?.text.trimStart().startsWith("|") === true
}

/** The part of a line that has room behind other lines, unless it is better moved to the next page. */
const cutOf = (
  before: ReadonlyArray<Document.Line>,
  line: Document.Line,
  options: Layout.LayoutOptions,
  isFirst: boolean
): Document.Line | undefined => {
  const most = roomFor(before, line, options)
  // What begins like a fence is not cut as long as it may be one; only a grapheme longer than a page is cut.
  const isWhole =
    most === 0 || most >= line.text.length || (most < 300 && /^[\s>*+\-\d.)]*(?:`{3}|~{3})/.test(line.text))
  if (isWhole || !(isFirst || fitsFirst(line.text, most))) return undefined
  return Document.slice(line, 0, lineBreakAt(line.text, most, line.part._tag === "Code"))
}

/** How many characters of a line have room behind other lines. */
const roomFor = (before: ReadonlyArray<Document.Line>, line: Document.Line, options: Layout.LayoutOptions): number => {
  let least = 0
  let most = Math.min(line.text.length, longest)
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(Layout.measure([...before, Document.slice(line, 0, middle)], options))) least = middle
    else most = middle - 1
  }
  return least
}

/** A page that ends at a candidate. */
const ending = (rest: Rest, { count }: Candidate): Found => {
  const shown = rest.lines.slice(0, count)
  const last = shown.at(-1)
  return { page: pageOf(shown, rest.options), next: placeAt(rest, last === undefined ? 0 : Document.endOf(last)) }
}

const placeAt = ({ document }: Rest, at: number): Place => ({
  at,
  block: document.starts.findLast((start) => start < at) ?? 0,
  raw: false
})

const pageOf = (lines: ReadonlyArray<Document.Line>, options: Layout.LayoutOptions): Page =>
  Layout.render(lines, { ...options, list: !fits(Layout.measure(lines, options)) })

/** The room that lines take on one page, if they have room there: a table at their end may become a list for it. */
const sizeOf = (
  before: ReadonlyArray<Document.Line>,
  line: Document.Line,
  options: Layout.LayoutOptions
): Layout.Size | undefined => {
  const isTable = "table" in line.part
  if (!isTable && line.text.length > longest) {
    const part = Layout.measure([...before, Document.slice(line, 0, longest)], options)
    if (!fits(part)) return undefined
  }
  const size = Layout.measure([...before, line], options)
  if (fits(size)) return size
  const list = isTable ? Layout.measure([...before, line], { ...options, list: true }) : size
  return fits(list) ? list : undefined
}

/** The longest part of a line that is looked at: what has no room is known before it. */
const longest = 8 * limit

/** The most lines of text, with those that are not shown, that make a page. */
const mostLines = 200

const fits = ({ length, lines }: Layout.Size): boolean => length <= limit && lines <= lineLimit

const fill = ({ length, lines }: Layout.Size): number => Math.max(length / limit, lines / lineLimit)
