/**
 * Where to cut a line of which at most the first `most` UTF-16 units stay: after a sentence before after a word, both
 * outside of links, code and emphasis if possible, else between graphemes, else between code points. It depends on
 * nothing after the sign at `most`, so it is the same however the line goes on.
 */
export const cutAt = (line: string, most: number, code: boolean): number => {
  const window = line.slice(0, most)
  const marks = code ? [] : spans(window)
  const ends = (boundary: RegExp): ReadonlyArray<number> =>
    [...window.matchAll(boundary)].map(({ 0: found, index }) => index + found.length).filter((at) => at > most * 0.4)
  const signs = segmenter.segment(line.slice(0, most + 2))
  const apart = (at: number) => signs.containing(at)?.index === at
  const free = (at: number) => !marks.some(({ from, to }) => from < at && at < to) && apart(at)
  const words = ends(/\s+|[，、；]/g)
  const sentences = code ? [] : ends(/[.!?…]["'”’)\]]*\s+|[。！？][”’」』）]*/g)
  return sentences.findLast(free) ?? words.findLast(free) ?? words.findLast(apart) ?? grapheme(line, most)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The last end of a grapheme in the first `most` units of a text; of one that is longer, the end of a code point. */
export const grapheme = (line: string, most: number): number => {
  const start = segmenter.segment(line.slice(0, most + 2)).containing(most)?.index ?? most
  if (start > 0) return start
  return most > 1 && /[\uD800-\uDBFF]/.test(line.charAt(most - 1)) ? most - 1 : most
}

/** Whether a line's first grapheme fits in so many units, as far as the sign behind them tells. */
export const holdsFirst = (line: string, most: number): boolean =>
  most > 0 && segmenter.segment(line.slice(0, most + 2)).containing(most)?.index !== 0

interface Span {
  readonly from: number
  readonly to: number
}

/** What should stay in one piece, as far as it can be seen in the window. */
const spans = (window: string): ReadonlyArray<Span> => {
  const whole = [...window.matchAll(wholes)].map(({ 0: found, index }) => ({ from: index, to: index + found.length }))
  const opener = [...window.matchAll(openers)].find(
    ({ index }) => !whole.some(({ from, to }) => from <= index && index < to)
  )
  return opener === undefined ? whole : [...whole, { from: opener.index, to: Number.POSITIVE_INFINITY }]
}

const wholes =
  /(`+)(?!`)[^]*?[^`]\1(?!`)|!?\[[^\]\n]*\]\([^)\s]*\)|https?:\/\/\S+|<[^>\s]+>|(\*\*|__|~~|\|\|)(?=\S)[^]*?\S\2|(?<!\w)([*_])(?=\S)[^]*?\S\3(?!\w)/g

const openers = /`+|!?\[|(?<!\w)(?:\*\*|__|~~|\|\||[*_])(?=\S)/g
