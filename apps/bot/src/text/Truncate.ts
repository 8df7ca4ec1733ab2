import { graphemeEnd } from "./LineBreak.ts"
import { sanitize } from "./Sanitize.ts"

/** Shortens to at most `max` characters, ending in an ellipsis and never in a part of a grapheme. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, graphemeEnd(text, max - 1))}…`

/** One line of {@link sanitize} text of at most `max` characters; empty when nothing of it can be seen. */
export const oneLine = (text: string, max: number): string => truncate(sanitize(text), max)

/** Shortens at the end of a line and appends how many characters are missing. */
export const truncateLines = (text: string, max: number, missing: (characters: number) => string): string => {
  if (text.length <= max) return text
  const room = max - 60
  const window = text.slice(0, room)
  const line = window.lastIndexOf("\n")
  const kept = line > room / 2 ? window.slice(0, line) : text.slice(0, graphemeEnd(text, room))
  const close = (kept.match(/```/g)?.length ?? 0) % 2 === 1 ? "\n```" : ""
  return `${kept}${close}\n${missing(text.length - kept.length)}`
}
