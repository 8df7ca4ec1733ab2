/** Takes no room and belongs to nothing: between two signs it keeps Discord from reading them as one mark. */
export const apart = "\u200b"

/** How a line becomes safe, one that begins a line of the message or one inside of it. */
export type Safe = (line: string, atStart: boolean) => string

/** Code that Discord does not end before its end: three backticks close a block wherever they are. */
export const codeSafe = (code: string): string => code.replace(/``(?=`)/g, `\`\`${apart}`)

/**
 * A line without what only Discord gives a meaning: mentions of people, roles, channels and commands, times and emojis
 * in angle brackets, backticks that would open a block across lines, and, where a line begins, a quote of all the rest.
 */
export const textSafe: Safe = (line, atStart) =>
  rest(line, atStart).replace(mention, (mark) => `${mark.slice(0, 1)}${apart}${mark.slice(1)}`)

/** The same, but code inside of the line stays as it is: Discord reads nothing in code. */
export const codeKept: Safe = (line, atStart) =>
  rest(line, atStart).replace(codeOrMention, (mark) =>
    /^[\\`]/.test(mark) ? mark : `${mark.slice(0, 1)}${apart}${mark.slice(1)}`
  )

/** Whether a text may have what {@link codeKept} leaves as it is. */
export const mayNameInCode = (text: string): boolean => text.includes("`") && text.search(mention) !== -1

/**
 * Whether a message mentions anybody or anything outside of code, as Discord reads code: across lines too, and into a
 * block when a backtick above it has no other.
 */
export const names = (content: string): boolean =>
  [content, content.replace(/```[^]+?```/g, " ")].some((each) => each.replace(code, " ").search(mention) !== -1)

/** What the rest of a line needs in front so that it is not taken for the beginning of a heading, list or quote. */
export const restSafe = (rest: string): string => (isMark(rest) ? apart : "")

/** What the first line of a message needs in front to keep its place: Discord drops white space there. */
export const indentSafe = (line: string): string => (/^(?: {4}| {0,3}\t)\s*\S/.test(line) && !isMark(line) ? apart : "")

/** Whether Discord takes the beginning of a line for a mark. */
const isMark = (line: string): boolean => /^\s*(?:#{1,3}\s|[-*]\s|\d+\.\s|>\s|>>>\s|-#\s)/.test(line)

const mentions = String.raw`<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|\/[^<>\n]{1,100}:\d+|t:-?\d+(?::\w)?|id:[\w:-]+)>|@(?:everyone|here)`
const mention = new RegExp(mentions, "g")

/** Code inside of a line, where no backtick is escaped, and mentions that are in none. */
const codeOrMention = new RegExp("\\\\[\\\\`]|(?<!`)(?<ticks>`+)(?!`)[^]*?[^`]\\k<ticks>(?!`)|" + mentions, "g")

/** What Discord reads no mention in: a backtick in an address is a part of that. */
const code = /\\[\\`]|https?:\/\/[^\s<]+|```[^]+?```|(?<ticks>`+)[^]*?[^`]\k<ticks>(?!`)/g

/** A line without what has a meaning to Discord besides mentions. */
const rest = (line: string, atStart: boolean): string => {
  const ticked = line.includes("```") ? ticks(line) : line
  return atStart ? ticked.replace(/^( *>)(?=>>\s)/, "$1 ") : ticked
}

/** Three backticks stay where three more on the same line end the code; all others are no mark. */
const ticks = (line: string): string => {
  const runs = [...line.matchAll(/`{3,}/g)]
  const kept = new Set<number>()
  let open: number | undefined
  for (const { 0: marks, index } of runs) {
    if (marks.length !== 3) continue
    if (open === undefined) open = index
    else {
      kept.add(open).add(index)
      open = undefined
    }
  }
  return line.replace(/`{3,}/g, (marks, index: number) => (kept.has(index) ? marks : codeSafe(marks)))
}
