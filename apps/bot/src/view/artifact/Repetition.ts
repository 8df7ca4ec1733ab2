/** Whether a Markdown text says nothing beyond a text that readers have already, apart from headings and quotes. */
export const repeatsWords = (markdown: string, text: string): boolean => {
  const seen = wordsOf(text)
  const lines = linesOf(markdown)
  return lines.length > 0 && lines.every((line) => seen.includes(line))
}

/** Whether a Markdown text lists exactly these items, apart from headings and quotes. */
export const repeatsItems = (markdown: string, items: ReadonlyArray<string>): boolean => {
  const lines = linesOf(markdown)
  return (
    lines.length > 0 && lines.length === items.length && items.every((item, index) => wordsOf(item) === lines[index])
  )
}

const linesOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .split("\n")
    .filter((line) => !/^\s*(?:#{1,6}\s|>)/.test(line))
    .map((line) => wordsOf(line.replace(listMark, "")))
    .filter((line) => line !== "")

/** The letters and digits of a text, without case, width and marks. */
const wordsOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const listMark = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/
