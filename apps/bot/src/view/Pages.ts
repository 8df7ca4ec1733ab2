/** One page of a longer text. What is shown is `open + body + close`; the bodies in order are the whole text. */
export interface Page {
  /** Reopens a code block that the page before had to close. */
  readonly open: string
  readonly body: string
  /** Closes a code block that goes on, or is not finished yet. */
  readonly close: string
}

/** The longest page in UTF-16 units: below Discord's 2,000 so that a mark can still be added. */
export const limit = 1900

/**
 * Splits Markdown into pages of at most {@link limit} characters, at paragraphs before lines before sentences
 * before words, never inside a grapheme, and without leaving a code block open.
 * A page depends only on the text before its end, so pages that are full stay as they are while the text grows.
 */
export const split = (text: string, max: number = limit): ReadonlyArray<Page> => {
  const pages: Array<Page> = []
  let rest = text
  let fence: Fence | undefined
  while (rest !== "" || pages.length === 0) {
    const open = fence === undefined ? "" : `${fence.marker}${fence.info}\n`
    const page = take(rest, max, open, fence)
    pages.push({ open, body: page.body, close: page.close })
    rest = rest.slice(page.body.length)
    fence = page.fence
  }
  return pages
}

/** What a reader sees of a page. */
export const shown = (page: Page): string => page.open + page.body + page.close

interface Fence {
  readonly marker: string
  readonly info: string
}

const take = (rest: string, max: number, open: string, fence: Fence | undefined) => {
  let reserve = 4
  for (;;) {
    const room = Math.max(1, max - open.length - reserve)
    const body = rest.length <= room ? rest : rest.slice(0, cut(rest, room, fence))
    const after = fenceAfter(body, fence)
    const close = after === undefined ? "" : `${body.endsWith("\n") ? "" : "\n"}${after.marker}`
    if (close.length <= reserve) return { body, close, fence: after }
    reserve = close.length
  }
}

/** Where the page ends: the best boundary in the part of the window that is full enough. */
const cut = (rest: string, room: number, fence: Fence | undefined): number => {
  const window = rest.slice(0, room)
  const at = (mark: string, least: number) => {
    const index = window.lastIndexOf(mark)
    return index >= room * least ? index + mark.length : undefined
  }
  const paragraph = at("\n\n", 0.6)
  if (paragraph !== undefined && fenceAfter(window.slice(0, paragraph), fence) === undefined) return paragraph
  const line = at("\n", 0.3)
  if (line !== undefined) return beforeOpener(window.slice(0, line), fence)
  return at(". ", 0.3) ?? at(" ", 0.3) ?? grapheme(rest, room)
}

/** A code block that opens on the last line of a page would be empty there: it moves to the next page. */
const beforeOpener = (body: string, fence: Fence | undefined): number => {
  const start = body.lastIndexOf("\n", body.length - 2) + 1
  const opens = fenceAfter(body.slice(0, start), fence) === undefined && fenceAfter(body, fence) !== undefined
  return opens && start > 0 ? start : body.length
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const grapheme = (rest: string, room: number): number => {
  let end = 0
  for (const { index, segment } of segmenter.segment(rest.slice(0, room + 64))) {
    if (index + segment.length > room) break
    end = index + segment.length
  }
  return end > 0 ? end : room
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/

const fenceAfter = (body: string, before: Fence | undefined): Fence | undefined => {
  let fence = before
  for (const line of body.split("\n")) {
    const [, marker, info] = fenceLine.exec(line) ?? []
    if (marker === undefined || info === undefined) continue
    if (fence === undefined) {
      if (marker.startsWith("~") || !info.includes("`")) fence = { marker: marker.slice(0, 16), info: language(info) }
    } else if (marker[0] === fence.marker[0] && marker.length >= fence.marker.length && info.trim() === "") {
      fence = undefined
    }
  }
  return fence
}

const language = (info: string): string => /^[\w+#.-]{1,20}/.exec(info.trim())?.[0] ?? ""
