import { inline } from "./Dialect.ts"
import { mentions } from "./Escape.ts"

/**
 * The position at which to break a line, within its first `maxLength` UTF-16 units. Prefers the end of a sentence, then
 * of a word, both outside of links, code and emphasis. Otherwise it takes the end of a grapheme, then of a code point.
 * Ignores text after the character at `maxLength`, so it is stable while the line grows.
 */
export const lineBreakAt = (line: string, maxLength: number, { isCode }: { readonly isCode: boolean }): number => {
  const window = line.slice(0, maxLength)
  const unbreakable = isCode ? [] : spans(window)
  const ends = (boundary: RegExp): ReadonlyArray<number> =>
    [...window.matchAll(boundary)]
      .map(({ 0: found, index }) => index + found.length)
      .filter((at) => at > maxLength * 0.4)
  const graphemes = segmenter.segment(line.slice(0, maxLength + 2))
  const isBoundary = (at: number) => graphemes.containing(at)?.index === at
  const isFree = (at: number) => !unbreakable.some(({ from, to }) => from < at && at < to) && isBoundary(at)
  const words = ends(/\s+|[，、；]/g)
  const sentences = isCode ? [] : ends(/[.!?…]["'”’)\]]*\s+|[。！？][”’」』）]*/g)
  return (
    sentences.findLast(isFree) ?? words.findLast(isFree) ?? words.findLast(isBoundary) ?? graphemeEnd(line, maxLength)
  )
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The last grapheme end in the first `maxLength` units; for a longer grapheme, a code point end. */
export const graphemeEnd = (line: string, maxLength: number): number => {
  const start = segmenter.segment(line.slice(0, maxLength + 2)).containing(maxLength)?.index ?? maxLength
  if (start > 0) return start
  return maxLength > 1 && /[\uD800-\uDBFF]/.test(line.charAt(maxLength - 1)) ? maxLength - 1 : maxLength
}

/** Whether a line's first grapheme fits, as far as the next character decides it. */
export const fitsFirst = (line: string, maxLength: number): boolean =>
  maxLength > 0 && segmenter.segment(line.slice(0, maxLength + 2)).containing(maxLength)?.index !== 0

interface Span {
  readonly from: number
  readonly to: number
}

/** Matches inline content to keep together; a mark without a partner may be closed later. */
const spans = (window: string): ReadonlyArray<Span> => {
  const whole: Array<Span> = [...window.matchAll(mention)].map(({ 0: found, index }) => ({
    from: index,
    to: index + found.length
  }))
  inline.parse(window).iterate({
    enter: ({ from, name, node, to }) => {
      if (node.parent?.name === "Paragraph" && name !== "HardBreak" && name !== "Entity") whole.push({ from, to })
    }
  })
  const open = [...window.matchAll(openingDelimiters)].find(
    ({ index }) => !whole.some(({ from, to }) => from <= index && index < to)
  )
  return open === undefined ? whole : [...whole, { from: open.index, to: Number.POSITIVE_INFINITY }]
}

const mention = new RegExp(mentions, "g")

/** The first characters of code, links and emphasis. */
const openingDelimiters = /`+|!?\[|(?<!\w)(?:\*\*|__|~~|\|\||[*_])(?=\S)/g
