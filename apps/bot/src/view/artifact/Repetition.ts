/**
 * Whether a summary says nothing beyond its title and a text that readers have already. Each of its paragraphs must stand in
 * the text as it is: the same sentences in another order may say something else.
 */
export const repeatsWords = (markdown: string, text: string, title: string): boolean => {
  const seen = `\n${sentencesOf(text).join("\n")}\n`
  const paragraphs = paragraphsOf(withoutTitle(markdown, title)).map(sentencesOf)
  return markdown.trim() !== "" && paragraphs.every((sentences) => seen.includes(`\n${sentences.join("\n")}\n`))
}

/** Whether a plan lists exactly these items, apart from its title and quotes of a text that readers have already. */
export const repeatsItems = (markdown: string, items: ReadonlyArray<string>, title: string, text: string): boolean => {
  const seen = flat(text)
  const lines = withoutTitle(markdown, title)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .filter((line) => !/^\s*>/.test(line) || !seen.includes(flat(line.replace(/^\s*>/, ""))))
    .map((line) => plainOf(line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[ \]\s+)?/, "")))
  return (
    lines.length > 0 && lines.length === items.length && items.every((item, index) => plainOf(item) === lines[index])
  )
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase()

/** A Markdown text without a heading at its beginning that repeats its title. */
const withoutTitle = (markdown: string, title: string): string => {
  const [first = "", ...rest] = markdown.trim().split("\n")
  const heading = /^#{1,6}\s+(.*)$/.exec(first)?.[1]
  return heading !== undefined && plainOf(heading) === plainOf(title) ? rest.join("\n") : markdown
}

/** The paragraphs of a text, each with its heading, and a list with the line that introduces it. */
const paragraphsOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .replace(/^([^\S\n]*#{1,6}\s.*|.*[:：](?=\s*\n\s*(?:[-*+]|\d+[.)])\s))\s*\n+/gm, "$1\n")
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")

const sentencesOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .split(/\n|(?<=[.!?])\s+|(?<=[。！？])/)
    .map(plainOf)
    .filter((sentence) => sentence !== "")

/** A line as it reads: without emphasis, the mark of a heading, quote or list of words, and the case of its first letter. */
const plainOf = (line: string): string =>
  line
    .trim()
    .replace(/^(?:#{1,6}\s+|>\s*)?(?:[-*+]\s+(?=[\p{L}*_`]))?/u, "")
    .replace(emphasis, "$2")
    .replace(emphasis, "$2")
    .replace(/[.。]$/, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^./u, (letter) => letter.toLowerCase())

// Bounded, so that a hostile text costs linear time.
const emphasis = /(?<![\p{L}\p{N}*_`])(\*\*|__|\*|_|`)(?=[^\s*_`]|[*_`]+\S)(.{1,200}?)(?<=\S)\1(?![\p{L}\p{N}*_`])/gu
