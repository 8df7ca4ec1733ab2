import { clean } from "./Sanitize.ts"
import { inline } from "./Dialect.ts"
import { separator } from "./Escape.ts"
import { graphemeEnd } from "./LineBreak.ts"

/** Shortens to at most `max` characters, ending in an ellipsis and never in a part of a grapheme. */
export const fit = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, graphemeEnd(text, max - 1))}…`

/** One line of plain words, {@link clean}: no line breaks, at most `max` characters; empty when nothing can be seen. */
export const oneLine = (text: string, max: number): string => fit(clean(text), max)

/** A name as {@link oneLine}, without the marks of Markdown for headings, quotes, bold, italic, struck out and code. */
export const oneName = (text: string, max: number): string =>
  fit(clean(withoutMarks(clean(text).replace(/^(?:(?:#{1,3}|-#|>{1,3}|[-*])\s+)+/, ""))), max)

/** A line without the marks around its words; a mark inside of a word, as in `__init__.py`, belongs to the word. */
const withoutMarks = (line: string): string => {
  let text = ""
  let at = 0
  inline.parse(line).iterate({
    enter: ({ from, name, node, to }) => {
      const styled = node.parent
      if (styled === null || !/^(?:Code|Emphasis|Strikethrough)Mark$/.test(name)) return
      const isUnderscore = line.charAt(from) === "_"
      const inWord =
        /\w/.test(line.charAt(styled.from - 1)) || (isUnderscore ? /[\w.]/ : /\w/).test(line.charAt(styled.to))
      if (inWord && styled.name.endsWith("Emphasis")) return
      text += line.slice(at, from)
      at = to
    }
  })
  return text + line.slice(at)
}

/** Shortens at the end of a line and says how many characters are missing. */
export const fitLines = (text: string, max: number, missing: (characters: number) => string): string => {
  if (text.length <= max) return text
  const room = max - 60
  const window = text.slice(0, room)
  const line = window.lastIndexOf("\n")
  const kept = line > room / 2 ? window.slice(0, line) : text.slice(0, graphemeEnd(text, room))
  const close = (kept.match(/```/g)?.length ?? 0) % 2 === 1 ? "\n```" : ""
  return `${kept}${close}\n${missing(text.length - kept.length)}`
}

/** Takes the meaning of Markdown from words that are not meant as Markdown; an address in them can be clicked. */
export const escaped = (text: string): string => text.replace(/[\\`*_~|>#[\]<]/g, "\\$&")

/** The same for names and the like, which are no place for addresses: none of them can be clicked. */
export const plain = (text: string): string => escaped(text).replace(/:(?=\/\/)/g, `:${separator}`)

/** Bytes in words: 12 B, 3.4 KB, 10 MB. */
export const bytes = (size: number): string => {
  if (size < 1000) return `${size} B`
  if (size < 999_500) return `${(size / 1000).toFixed(size < 9950 ? 1 : 0)} KB`
  return `${(size / 1_000_000).toFixed(size < 9_950_000 ? 1 : 0)} MB`
}

/** How a language counts time. */
export interface TimeWords {
  readonly seconds: (count: string) => string
  readonly minutes: (count: number) => string
}

/** A duration in words: 0.8 s, 12 s, 3 min 20 s. */
export const duration = (milliseconds: number, words: TimeWords): string => {
  const seconds = milliseconds / 1000
  if (seconds < 9.95) return words.seconds(seconds.toFixed(1))
  if (seconds < 60) return words.seconds(String(Math.round(seconds)))
  const minutes = Math.floor(Math.round(seconds) / 60)
  const left = Math.round(seconds) % 60
  return left === 0 ? words.minutes(minutes) : `${words.minutes(minutes)} ${words.seconds(String(left))}`
}

/** A file name that is safe everywhere, from any words. */
export const fileName = (name: string): string => {
  const safe = name
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[._]+/, "")
    .slice(-80)
  return safe === "" ? "file" : safe
}

/** The name of a long answer's file: the task's name and, from its Discord id, when the turn began; of several files, its number. */
export const answerName = (taskName: string, turnId: string, part?: number): string => {
  const words = taskName
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase()
    .slice(0, 40)
    .replace(/^-+|-+$/g, "")
  const sent = /^\d{17,19}$/.test(turnId) ? new Date(Number((BigInt(turnId) >> 22n) + 1_420_070_400_000n)) : undefined
  const when = sent === undefined ? turnId : sent.toISOString().slice(0, 16).replace("T", "-").replace(":", "")
  return fileName(`${words === "" ? "answer" : words}-${when}${part === undefined ? "" : `-${part}`}.md`)
}
