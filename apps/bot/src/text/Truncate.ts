import { graphemeEnd } from "./LineBreak.ts"
import { sanitize } from "./Sanitize.ts"

/** Shortens to at most `max` characters with an ellipsis, at a grapheme boundary. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, graphemeEnd(text, max - 1))}…`

/** Shortens in the middle to about `max` characters, at grapheme boundaries. */
export const truncateMiddle = (text: string, max: number): string => {
  const half = Math.floor(max / 2)
  return text.length <= max ? text : truncate(text, half) + text.slice(graphemeEnd(text, text.length - half))
}

/** One {@link sanitize}d line of at most `max` characters; empty without visible characters. */
export const oneLine = (text: string, max: number): string => truncate(sanitize(text), max)

/** Shortens at a line end and appends the number of omitted characters. */
export const truncateLines = (text: string, max: number, missing: (characters: number) => string): string => {
  if (text.length <= max) return text
  const room = max - 60
  const window = text.slice(0, room)
  const line = window.lastIndexOf("\n")
  const kept = line > room / 2 ? window.slice(0, line) : text.slice(0, graphemeEnd(text, room))
  const close = (kept.match(/```/g)?.length ?? 0) % 2 === 1 ? "\n```" : ""
  return `${kept}${close}\n${missing(text.length - kept.length)}`
}
