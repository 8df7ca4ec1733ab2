import { codeSafe } from "./Defuse.ts"

/** A code block between fences. */
export interface Fence {
  readonly char: string
  readonly size: number
  readonly language: string
  /** The columns before its text: as much white space goes from the beginning of each of its lines. */
  readonly indent: number
  /** The column where the text of the list entry around it begins. */
  readonly base: number
  readonly quote: string
  /** What precedes the block where it begins: the mark of a quote, of a list, or nothing. */
  readonly lead: string
  /** What is shown of a block with nothing in it: the words behind its first fence. */
  readonly empty: string
}

/** The mark of a quote that a line begins with. */
export const quoteOf = (line: string): string => /^ {0,3}> ?/.exec(line)?.[0] ?? ""

/** The columns before a line's first word. */
export const columns = (line: string): number => {
  let count = 0
  for (const sign of line) {
    if (sign === "\t") count += 4 - (count % 4)
    else if (sign === " ") count += 1
    else break
  }
  return count
}

/**
 * The columns where the text of each list entry begins that a line is in, the outermost first. A line right below
 * another one may go on with its words further to the left.
 */
export const entries = (line: string, around: ReadonlyArray<number>, below: boolean): ReadonlyArray<number> => {
  const at = columns(line)
  const goesOn = below && !/^\s*(?:[-*+#>|]|\d{1,9}[.)]\s|`{3}|~{3})/.test(line)
  const within = goesOn ? [...around] : around.filter((column) => column <= at)
  let rest = line.trimStart()
  let column = at
  while (column - (within.at(-1) ?? 0) < 4) {
    const [all, mark, space] = /^([-*+]|\d{1,9}[.)])(\s+|$)/.exec(rest) ?? []
    if (all === undefined || mark === undefined || space === undefined) break
    const text = column + mark.length + (space.length > 4 ? 1 : Math.max(1, space.length))
    within.push(text)
    rest = rest.slice(all.length)
    column += all.length
  }
  return within
}

/** The block that a line begins, where `around` are the list entries above it and `safe` makes words safe to show. */
export const opens = (
  line: string,
  around: ReadonlyArray<number>,
  safe: (words: string) => string
): Fence | undefined => {
  const quoted = quoteOf(line)
  const [, indent = "", bullet = "", marks, info = ""] = openerLine.exec(line.slice(quoted.length)) ?? []
  if (marks === undefined || (marks.startsWith("`") && info.includes("`"))) return undefined
  const at = columns(indent)
  const base = around.findLast((column) => column <= at) ?? 0
  if (at - base > 3) return undefined
  const said = info.trim()
  if (said.length > 200) return undefined
  const quote = quoted === "" ? "" : "> "
  const language = /^[\w+#.-]{1,20}(?=$|[\s{,]|:(?!\/\/))/.exec(said)?.[0] ?? ""
  const caption = safe(said.slice(language.length).trim())
  const item = bullet === "" ? "" : `${indent.slice(0, 8)}${bullet.trim()} `
  return {
    char: marks.slice(0, 1),
    size: marks.length,
    language,
    indent: indent.length + bullet.length,
    base: bullet === "" ? base : at + bullet.length,
    quote,
    lead: `${quote}${item}${caption === "" ? "" : `${item === "" ? "-# " : ""}${caption}\n${quote}`}`,
    empty: said === "" ? "" : `${quote}${item}\`\`\`\n${quote}${codeSafe(said)}\n${quote}\`\`\``
  }
}

/** Whether a line ends the block. One that is not finished does so as long as nothing else is in it. */
export const closes = (line: string, fence: Fence, sure: boolean): boolean => {
  const marks = line.trim()
  if (columns(line) - fence.base > 3 || [...marks].some((sign) => sign !== fence.char)) return false
  return marks.length >= fence.size || (!sure && marks !== "")
}

const openerLine = /^(\s*)((?:(?:[-*+]|\d{1,9}[.)])\s{1,4}){0,3})(`{3,}|~{3,})(.*)$/s
