/** Takes no room and belongs to nothing: between two characters it keeps Discord from reading them as one mark. */
export const separator = "\u200b"

/** Escapes a line; `atStart` says whether it begins a line of the message. */
export type EscapeLine = (line: string, atStart: boolean) => string

/** Escapes code in a block, which three backticks anywhere would close. */
export const escapeCode = (code: string): string => code.replace(/``(?=`)/g, `\`\`${separator}`)

/**
 * Escapes what only Discord gives a meaning: mentions of people, roles, channels and commands, times and emojis in
 * angle brackets, backticks that would open a block across lines, and a quote of the rest of the message.
 */
export const escapeAll: EscapeLine = (line, atStart) => escapeMarks(line, atStart).replace(mention, separated)

/** Escapes as {@link escapeAll} does, but not inside of code, where Discord reads no mention. */
export const escapeText: EscapeLine = (line, atStart) =>
  escapeMarks(line, atStart).replace(codeOrMention, (found) => (/^[\\`]/.test(found) ? found : separated(found)))

/** Whether {@link escapeText} may leave a mention in a text. */
export const mayMentionInCode = (text: string): boolean => text.includes("`") && text.search(mention) !== -1

/**
 * Whether a message mentions somebody or something outside of code. Discord reads code across lines, and into a block
 * when a backtick above it has no other.
 */
export const hasMention = (content: string): boolean =>
  [content, content.replace(/```[^]+?```/g, " ")].some((each) => each.replace(code, " ").search(mention) !== -1)

/** What goes before the rest of a line, so that it does not begin a heading, list or quote. */
export const beforeRest = (rest: string): string => (isBlockMark(rest) ? separator : "")

/** What goes before the first line of a message, so that Discord keeps its indentation. */
export const beforeIndent = (line: string): string =>
  /^(?: {4}| {0,3}\t)\s*\S/.test(line) && !isBlockMark(line) ? separator : ""

/** Escapes the marks of Markdown; an address can still be clicked. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|>#[\]<]/g, "\\$&")

/** Escapes the marks of Markdown and addresses, for names and other text in which nothing should be clicked. */
export const plain = (text: string): string => escapeMarkdown(text).replace(/:(?=\/\/)/g, `:${separator}`)

/** Finds what Discord replaces by the name of a person, role, channel or command, by a time or by an emoji. */
export const mentions = String.raw`<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|\/[^<>\n]{1,100}:\d+|t:-?\d+(?::\w)?|id:[\w:-]+)>|@(?:everyone|here)`

const mention = new RegExp(mentions, "g")

const separated = (found: string): string => `${found.slice(0, 1)}${separator}${found.slice(1)}`

const isBlockMark = (line: string): boolean => /^\s*(?:#{1,3}\s|[-*]\s|\d+\.\s|>\s|>>>\s|-#\s)/.test(line)

/** Code inside of a line, where no backtick is escaped, and mentions outside of it. */
const codeOrMention = new RegExp("\\\\[\\\\`]|(?<!`)(?<ticks>`+)(?!`)[^]*?[^`]\\k<ticks>(?!`)|" + mentions, "g")

/** Where Discord reads no mention; a backtick in an address belongs to the address. */
const code = /\\[\\`]|https?:\/\/[^\s<]+|```[^]+?```|(?<ticks>`+)[^]*?[^`]\k<ticks>(?!`)/g

const escapeMarks = (line: string, atStart: boolean): string => {
  const ticked = line.includes("```") ? escapeTicks(line) : line
  return atStart ? ticked.replace(/^( *>)(?=>>\s)/, "$1 ") : ticked
}

/** Keeps three backticks where three more on the same line end the code; all others are no mark. */
const escapeTicks = (line: string): string => {
  const triples = [...line.matchAll(/`{3,}/g)].filter(({ 0: ticks }) => ticks.length === 3).map(({ index }) => index)
  const kept = new Set(triples.slice(0, triples.length - (triples.length % 2)))
  return line.replace(/`{3,}/g, (ticks, index: number) => (kept.has(index) ? ticks : escapeCode(ticks)))
}
