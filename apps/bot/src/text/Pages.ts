import { cutAt, holdsFirst } from "./Cut.ts"
import { type Context, type Piece, render, type Rendering } from "./Markdown.ts"

/** One Discord message of a longer text. */
export interface Page {
  /** What is sent. */
  readonly content: string
  /** The part of the text that it shows, piece by piece. */
  readonly pieces: ReadonlyArray<Piece>
}

/** The longest page. Discord counts code points; UTF-16 units are never fewer. */
export const limit = 2000

/** The most lines of a page, so that it fits a screen. */
export const lineLimit = 17

/** Splits Markdown to which nothing is added into pages; see {@link splitter}. */
export const split = (text: string): ReadonlyArray<Page> => splitter()(text, true)

/** The text that pages show: `joined(split(text))` is `text`, every sign of it. */
export const joined = (pages: ReadonlyArray<Page>): string =>
  pages.map((page) => page.pieces.map(({ source }) => source).join("")).join("")

/**
 * Splits a text that grows into pages of at most {@link limit} characters and {@link lineLimit} lines: at paragraphs
 * before lines before sentences before words, never inside a grapheme, and without leaving a code block open.
 * Where a page ends depends only on the text up to the first sign that it has no room for, so a page that is full stays
 * as it is while the text grows; only what comes after the full pages is looked at again. While it grows, the last page
 * holds back what may become a mark; once the text has ended, every word of it is shown. Of a text that takes more than
 * `most` pages the first ones are made.
 */
export const splitter = (most = Number.POSITIVE_INFINITY): ((text: string, ended: boolean) => ReadonlyArray<Page>) => {
  let before = ""
  let over = false
  let full: ReadonlyArray<Page> = []
  let start: Place = { at: 0, context: {} }
  return (text, ended) => {
    if (over ? !ended || text !== before : !text.startsWith(before)) {
      full = []
      start = { at: 0, context: {} }
    }
    before = ended ? text : settled(text)
    over = ended
    const pages = [...full]
    if (full.length >= most) return full
    for (;;) {
      const next = pageAt(before, start, ended)
      if (next.to === undefined) {
        full = pages
        return [...pages, next.page(text.slice(before.length))]
      }
      pages.push(next.page(""))
      start = next.to
      if (pages.length >= most) return (full = pages)
    }
  }
}

/** How full a page is that says this: 1 is full. */
export const fillOf = (content: string): number => fill({ length: content.length, lines: content.split("\n").length })

interface Place {
  readonly at: number
  readonly context: Context
}

/** A page, and where the next one begins: nowhere when it has room for all the rest. */
interface Found {
  /** The page with what is not settled yet at its end. */
  readonly page: (rest: string) => Page
  readonly to: Place | undefined
}

/** A place where a page could end, with what it would show. */
interface Candidate {
  readonly to: number
  readonly rendering: Rendering
  /** How full the page is: 1 is full. */
  readonly fill: number
  readonly paragraph: boolean
  readonly heading: boolean
}

/** Without half of a surrogate pair at the end: what it becomes is not known yet. */
const settled = (text: string): string => (/[\uD800-\uDBFF]/.test(text.slice(-1)) ? text.slice(0, -1) : text)

/** The page that begins at a place. */
const pageAt = (text: string, start: Place, over: boolean): Found => {
  const { at: from, context } = start
  const words = over ? text.trimEnd().length : Number.POSITIVE_INFINITY
  const candidates: Array<Candidate> = []
  let rendering = render("", context)
  let at = from
  while (at < text.length) {
    const end = lineEnd(text, at)
    const line = text.slice(at, Math.min(end, at + longest))
    const blank = line.length === end - at && line.trim() === ""
    const last = candidates.at(-1)
    if (blank && line.endsWith("\n") && last !== undefined && at > from) {
      candidates[candidates.length - 1] = { ...last, to: end, paragraph: true }
    } else {
      const next = fitting(text.slice(from, at + line.length), context)
      const whole =
        next === undefined || (at + line.length === end && end < words)
          ? next
          : fitting(text.slice(from, end), context, end >= words)
      if (last !== undefined && candidates.length === mostLines) return ending(text, start, last)
      if (whole === undefined) return overflow(text, start, over, candidates, at, end)
      rendering = whole
      if (text.charAt(end - 1) === "\n") {
        candidates.push({
          to: end,
          rendering,
          fill: fill(rendering),
          paragraph: false,
          heading: /^\s*#{1,6}\s/.test(line)
        })
      }
    }
    at = end
  }
  return { page: (rest) => pageOf(fitting(text.slice(from), context, over) ?? rendering, rest), to: undefined }
}

/** A page that ends at a candidate. */
const ending = (text: string, { at, context }: Place, { rendering, to }: Candidate): Found => {
  const shown = fitting(text.slice(at, to), context) ?? rendering
  return { page: (rest) => pageOf(shown, rest), to: { at: to, context: shown.context } }
}

/** A page that has no room for the line from `at` to `end`. */
const overflow = (
  text: string,
  start: Place,
  over: boolean,
  candidates: ReadonlyArray<Candidate>,
  at: number,
  end: number
): Found => {
  const { at: from, context } = start
  const first = text
    .slice(at, at + 200)
    .trimStart()
    .charAt(0)
  const previous = candidates.at(-1)
  const possible = candidates.filter((each) => {
    // The header of a table stays with what follows it.
    const next = text
      .slice(each.to, each.to + 200)
      .trimStart()
      .charAt(0)
    return !(each.rendering.context.run === "head" && !each.paragraph && next === "|")
  })
  const plain = possible.filter((each) => each.rendering.context.fence === undefined && !each.heading)
  // An inner entry of a list would lose its place at the top of a page.
  const outer = plain.filter((each) => !/^[ \t]+\S/.test(text.slice(each.to, each.to + 20)))
  const good =
    outer.findLast((each) => each.paragraph && each.fill >= 0.5) ??
    outer.findLast((each) => each.fill >= 0.5) ??
    plain.findLast((each) => each.fill >= 0.5) ??
    possible.findLast((each) => !each.heading && each.fill >= 0.3)
  if (good !== undefined) return ending(text, start, good)

  const inTable = (previous === undefined ? context : previous.rendering.context).table !== undefined && first === "|"
  if (inTable && previous === undefined)
    return pageAt(text, { at: from, context: { ...context, table: undefined, run: "row" } }, over)
  if (!inTable) {
    const code = (previous === undefined ? context : previous.rendering.context).fence !== undefined
    const line = text.slice(at, Math.min(end, at + longest)).replace(/\n$/, "")
    const most = room(text.slice(from, at), line, context)
    // Only a sign that is longer than a page of its own is cut.
    if (most > 0 && most < line.length && (previous === undefined || holdsFirst(line, most))) {
      const to = at + cutAt(line, most, code)
      const rendering = render(text.slice(from, to), context, { goesOn: true })
      return { page: (rest) => pageOf(rendering, rest), to: { at: to, context: rendering.context } }
    }
  }
  const any = possible.at(-1) ?? previous
  if (any !== undefined) return ending(text, start, any)
  throw new Error("a page has room for no sign at all")
}

/** How much of a line fits after what is before it. */
const room = (before: string, line: string, context: Context): number => {
  let least = 0
  let most = line.length
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(render(before + line.slice(0, middle), context, { goesOn: true }))) least = middle
    else most = middle - 1
  }
  return least
}

/** The longest part of a line that is looked at: what does not fit is known before it. */
const longest = 8 * limit

/** The most lines of text, with those that are not shown, that make a page. */
const mostLines = 200

const fitting = (text: string, context: Context, ended = false): Rendering | undefined => {
  const rendering = render(text, context, { ended })
  if (fits(rendering)) return rendering
  if (!rendering.endsInTable) return undefined
  const list = render(text, context, { ended, list: true })
  return fits(list) ? list : undefined
}

const fits = ({ length, lines }: Rendering): boolean => length <= limit && lines <= lineLimit

const fill = ({ length, lines }: Pick<Rendering, "length" | "lines">): number =>
  Math.max(length / limit, lines / lineLimit)

const pageOf = ({ content, pieces }: Rendering, rest: string): Page => ({
  content,
  pieces: rest === "" ? pieces : [...pieces, { source: rest, shown: "" }]
})

const lineEnd = (text: string, at: number): number => {
  const index = text.indexOf("\n", at)
  return index === -1 ? text.length : index + 1
}
