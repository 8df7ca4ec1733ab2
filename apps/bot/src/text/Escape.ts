import { revealDirections, revealHidden } from "./Sanitize.ts"

/** A zero-width separator that keeps Discord from reading two characters as one mark. */
export const separator = "\u200b"

/** Escapes a line; `atStart` (default false) means that it begins a line of the message. */
export type EscapeLine = (line: string, options?: { readonly atStart: boolean }) => string

/** Escapes the content of a code block, which three backticks would close. */
export const escapeCode = (code: string): string => revealDirections(code).replace(/``(?=`)/g, `\`\`${separator}`)

/**
 * Escapes markup that only Discord has, and what deceives. These are mentions, timestamps and emojis in angle brackets,
 * backticks that would open a block across lines, quotes of the whole rest, masked links and directions.
 */
export const escapeAll: EscapeLine = (line, options) => escapeMarks(line, options).replace(unsafe, separate)

/** Escapes as {@link escapeAll} does, but not in code, where Discord reads no mentions and links. */
export const escapeText: EscapeLine = (line, options) =>
  escapeMarks(line, options).replace(codeOrUnsafe, (found) => (/^[\\`]/.test(found) ? found : separate(found)))

/** Whether {@link escapeText} may leave a mention or masked link in a text. */
export const mayBeUnsafeInCode = (text: string): boolean => text.includes("`") && text.search(unsafe) !== -1

/**
 * Whether a message has a mention or masked link outside of code. Discord's code spans continue across lines, and into a
 * block when a backtick before it has no partner. They may begin in the text of a link, too.
 */
export const isUnsafe = (content: string): boolean =>
  [content, content.replace(/```[^]+?```/g, " ")].some((each) => each.replace(code, " ").search(unsafe) !== -1) ||
  hasLinkInto(content)

/** Agents' Markdown for a person's decision: nothing in it is hidden, and links show where they lead. */
export const forDecision = (text: string): string => revealHidden(text).replaceAll(linkMiddle, separate(linkMiddle))

/** The escape before the rest of a line that would begin a heading, list or quote. */
export const beforeRest = (rest: string): string => (isBlockMark(rest) ? separator : "")

/** The prefix that keeps the indentation of a message's first line. */
export const beforeIndent = (line: string): string =>
  /^(?: {4}| {0,3}\t)\s*\S/.test(line) && !isBlockMark(line) ? separator : ""

/** Escapes Markdown; addresses stay clickable. */
export const escapeMarkdown = (text: string): string => revealDirections(text).replace(/[\\`*_~|>#[\]<]/g, "\\$&")

/** Escapes Markdown and addresses, for names and other text without links. */
export const plain = (text: string): string => escapeMarkdown(text).replace(/:(?=\/\/)/g, `:${separator}`)

/** Matches what Discord renders as a mention, a timestamp or an emoji. */
export const mentions = String.raw`<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|\/[^<>\n]{1,100}:\d+|t:-?\d+(?::\w)?|id:[\w:-]+)>|@(?:everyone|here)`

/** What ends the text of a masked link and begins its address. */
const linkMiddle = "]("

const mentionOrLink = String.raw`${mentions}|\]\(`

const unsafe = new RegExp(mentionOrLink, "g")

const separate = (found: string): string => `${found.slice(0, 1)}${separator}${found.slice(1)}`

/** Whether the text of a masked link may begin before a code span in which the link goes on. */
const hasLinkInto = (content: string): boolean => {
  const first = content.indexOf("[")
  return (
    first !== -1 &&
    [...content.matchAll(code)].some(
      ({ 0: found, index }) => index > first && /^`(?!``)/.test(found) && found.includes(linkMiddle)
    )
  )
}

const isBlockMark = (line: string): boolean => /^\s*(?:#{1,3}\s|[-*]\s|\d+\.\s|>\s|>>>\s|-#\s)/.test(line)

/** Matches code spans without escaped backticks, and mentions and masked links outside of them. */
const codeOrUnsafe = new RegExp("\\\\[\\\\`]|(?<!`)(?<ticks>`+)(?!`)[^]*?[^`]\\k<ticks>(?!`)|" + mentionOrLink, "g")

/** Matches text in which Discord reads no mention; a backtick in an address belongs to the address. */
const code = /\\[\\`]|https?:\/\/(?:(?!\]\()[^\s<])+|```[^]+?```|(?<ticks>`+)[^]*?[^`]\k<ticks>(?!`)/g

const escapeMarks: EscapeLine = (line, { atStart } = { atStart: false }) => {
  const revealed = revealDirections(line)
  const ticksEscaped = revealed.includes("```") ? escapeTicks(revealed) : revealed
  return atStart ? ticksEscaped.replace(/^( *>)(?=>>\s)/, "$1 ") : ticksEscaped
}

/** Keeps three backticks that close code on the same line; others are no mark. */
const escapeTicks = (line: string): string => {
  const triples = [...line.matchAll(/`{3,}/g)].filter(({ 0: ticks }) => ticks.length === 3).map(({ index }) => index)
  const closingTicks = new Set(triples.slice(0, triples.length - (triples.length % 2)))
  return line.replace(/`{3,}/g, (ticks, index: number) => (closingTicks.has(index) ? ticks : escapeCode(ticks)))
}
