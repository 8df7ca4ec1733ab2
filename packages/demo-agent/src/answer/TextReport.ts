import type { Data } from "../data/DataFile.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** Reports on a text: its counts, headings and most frequent words. */
export const reportOnText = ({ name, notes, prose }: Extract<Data, { readonly kind: "prose" }>) => {
  const { characters, frequentWords, headings, lines, words } = prose
  const [count, chinese] = [
    `${Markdown.plural(words, "word")}, ${Markdown.plural(lines, "line")} and ${Markdown.plural(characters, "character")}`,
    `${Markdown.integer(words)} 个词，${Markdown.integer(lines)} 行，${Markdown.integer(characters)} 个字符`
  ]
  const top = Math.min(...headings.map(({ level }) => level))
  const outline = headings
    .slice(0, MAX_HEADINGS)
    .map(({ level, text }) => `${"  ".repeat(level - top)}- ${Markdown.escapeText(text, 80)}`)
  const more = headings.length - outline.length
  if (more > 0) outline.push(Language.text(`- _${more} more_`, `- _另有 ${more} 个_`))
  const frequent = frequentWords
    .map(([word, times]) => `${Markdown.escapeText(word)} (${Markdown.integer(times)})`)
    .join(", ")
  const opening = Language.text(
    `${Markdown.bold(name)} is a text of ${count}.`,
    `${Markdown.bold(name)} 是文本：${chinese}。`
  )
  return {
    messages: [
      ...notes,
      opening,
      ...(outline.length > 0 ? [`**${Language.text("Headings", "标题")}**\n${outline.join("\n")}`] : []),
      ...(frequent === "" ? [] : [Language.text(`**Most frequent words**: ${frequent}.`, `**高频词**：${frequent}。`)])
    ],
    summary: Language.text("Of a text, the report is all that I can make.", "对于文本，我只能做报告。"),
    findings: [opening, ...outline.slice(0, 5)]
  }
}

const MAX_HEADINGS = 30
