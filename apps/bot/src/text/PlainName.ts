import { inline } from "./Dialect.ts"
import { sanitize } from "./Sanitize.ts"
import { truncate } from "./Truncate.ts"

/**
 * One line of at most `max` characters, without Markdown for headings, quotes, bold, italic, strikethrough and code.
 */
export const plainName = (text: string, max: number): string =>
  truncate(sanitize(withoutMarks(sanitize(text).replace(/^(?:(?:#{1,3}|-#|>{1,3}|[-*])\s+)+/, ""))), max)

/** Removes marks around words; a mark inside of a word, as in `__init__.py`, stays. */
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
