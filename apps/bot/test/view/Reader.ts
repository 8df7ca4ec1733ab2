import MarkdownIt, { type Token } from "markdown-it"

/** What a CommonMark text says: its words in order, and those that may come again where a table goes on. */
export interface Reading {
  readonly words: ReadonlyArray<string>
  readonly headers: ReadonlySet<string>
}

/** Reads a text as CommonMark with tables; the language of a block is a word only where the block has nothing in it. */
export const read = (text: string): Reading => {
  const said: Array<string> = []
  const headers: Array<string> = []
  let header = false
  for (const token of markdown.parse(starred(text), {})) {
    if (token.type === "th_open") header = true
    else if (token.type === "th_close") header = false
    const words = wordsOf(token)
    said.push(words)
    if (header) headers.push(words)
  }
  return { words: split(said), headers: new Set(split(headers)) }
}

/** Reads messages as Discord shows them: what is between three backticks is code, wherever they are. */
export const readShown = (contents: ReadonlyArray<string>): ReadonlyArray<string> =>
  split(
    contents.flatMap((content) =>
      content.split(/(```)/).flatMap((part, index, parts) => {
        if (part === "```") return []
        const isCode = index % 4 === 2
        // To Discord no backslash breaks a line.
        const text = starred(part.replaceAll("\u200b", "").replace(/\\(?=\n)/g, "\\ "))
        if (!isCode) return plain.parse(text, {}).map(wordsOf)
        const quoted = parts[index - 2]?.endsWith("> ") === true
        const code = part.replace(/^[\w+#.-]*\n/, "")
        return [quoted ? code.replace(/^> ?/gm, "") : code]
      })
    )
  )

/**
 * The first difference between a text and what is shown, or undefined. Every word must be there, in order; only the
 * headers of continued tables may be added. A mark that Discord does not read as one may be shown around a word.
 */
export const difference = ({ headers, words }: Reading, shown: ReadonlyArray<string>): string | undefined => {
  const repeated = (word: string) => word === "-#" || headers.has(edged(word.replace(/:$/, "")))
  let at = 0
  for (const [index, word] of words.entries()) {
    while (at < shown.length && !same(word, shown[at] ?? "") && repeated(shown[at] ?? "")) at++
    const found = shown[at] ?? ""
    if (!same(word, found)) {
      return `${JSON.stringify(word)} after ${JSON.stringify(words.slice(Math.max(0, index - 5), index))}: ${JSON.stringify(found)}`
    }
    at++
  }
  const more = shown.slice(at).filter((word) => !repeated(word))
  return more.length === 0 ? undefined : `at the end: ${JSON.stringify(more)}`
}

const markdown = new MarkdownIt()
const plain = new MarkdownIt().disable("table")

/** An asterisk that is all that an entry says is a word to Discord, and the mark of an empty entry to CommonMark. */
const starred = (text: string): string => text.replace(/^( *- )(?=\*$)/gm, "$1\\")

const wordsOf = (token: Token): string => {
  if (token.type === "fence") {
    const [, ...caption] = token.info.trim().split(/\s+/)
    return token.content.trim() === "" ? token.info : `${caption.join(" ")}\n${token.content}`
  }
  if (token.type === "code_block") return token.content
  return (token.children ?? [])
    .map((child) => {
      if (child.type === "softbreak" || child.type === "hardbreak") return "\n"
      return child.type === "link_open" ? ` ${child.attrGet("href") ?? ""} ` : child.content
    })
    .join("")
}

/** Bars only separate. What begins a list, heading or quote in one place can be a character in another; half of one is none. */
const split = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) =>
    text
      .replaceAll("\u200b", "")
      .replace(/[\ud800-\udfff]/gu, "\ufffd")
      .split(/[\s|]+/)
      .filter((word) => !/^(?:[-+:=─·–>#]*|\d+[.)])$/.test(word))
  )

const edged = (word: string): string => /^[*_~`]*(.*?)[*_~`]*$/s.exec(word)?.[1] || word

const same = (word: string, shown: string): boolean => word === shown || edged(word) === edged(shown)
