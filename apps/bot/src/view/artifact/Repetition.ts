/**
 * Whether a summary says nothing beyond its title and the sentences of a text that readers have already. Signs count: "❌" and
 * "-5" say something.
 */
export const repeatsWords = (markdown: string, text: string, title: string): boolean => {
  const seen = new Set([title, ...sentencesOf(text)].map(plainOf))
  const sentences = sentencesOf(markdown).map(plainOf)
  return sentences.length > 0 && sentences.every((sentence) => seen.has(sentence))
}

/** Whether a plan lists exactly these items, apart from headings and quotes. */
export const repeatsItems = (markdown: string, items: ReadonlyArray<string>): boolean => {
  const lines = markdown
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*(?:#{1,6}\s|>)/.test(line))
    .map(plainOf)
  return (
    lines.length > 0 && lines.length === items.length && items.every((item, index) => plainOf(item) === lines[index])
  )
}

const sentencesOf = (markdown: string): ReadonlyArray<string> =>
  markdown.split(/\n|(?<=[.!?])\s+|(?<=[。！？])/).filter((sentence) => sentence.trim() !== "")

/** A line without case, width, emphasis, and the marks of headings, quotes and lists. */
const plainOf = (line: string): string =>
  line
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^\s*(?:#{1,6}\s+|>\s*)?(?:(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?)?/, "")
    .replace(/[*_`\\]/g, "")
    .replace(/[\s.。]+$/, "")
    .replace(/\s+/g, " ")
