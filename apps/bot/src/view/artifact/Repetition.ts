/**
 * Whether a summary says nothing beyond its title and a text that readers have already. Each of its paragraphs must stand in
 * the text as it is: the same sentences in another order, or without the line that introduces them, may say something else.
 */
export const repeatsWords = (markdown: string, text: string, title: string): boolean => {
  const seen = `\n${linesOf(text, title)}`
  const paragraphs = paragraphsOf(withoutTitle(markdown, title)).map((paragraph) => linesOf(paragraph, title))
  const isSaid = (lines: string, index: number) =>
    // The paragraph before may be the line that introduces this one.
    ["", paragraphs[index - 1] ?? ""].some((before) => seen.includes(`\n${before}${lines}`))
  return markdown.trim() !== "" && paragraphs.every(isSaid)
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

/** The sentences of a text as lines. What introduces the next line, unless it is the title, ends in a way of its own. */
const linesOf = (markdown: string, title: string): string =>
  markdown
    .split(/\n|(?<=[.!?])\s+|(?<=[。！？])/)
    .map((sentence) => ({ isHeading: /^\s*#{1,6}\s/.test(sentence), plain: plainOf(sentence) }))
    .filter(({ plain }) => plain !== "")
    .map(({ isHeading, plain }) => {
      const introduces = (isHeading || /[:：]$/.test(plain)) && plain.replace(/\s*[:：]$/, "") !== plainOf(title)
      return `${plain}${introduces ? "\r" : "\n"}`
    })
    .join("")

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
