import type { ChecklistItem } from "../data/MarkdownStructure.ts"
import type { Prose } from "../data/Prose.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"

/** Profiles a Markdown or plain text, one block per element. */
export const profileProse = (prose: Prose, name: string, isMarkdown: boolean): ReadonlyArray<string> => {
  const kind = isMarkdown ? "a Markdown document" : "plain text"
  const blocks = [
    Language.text(
      `${Markdown.bold(name)} is ${kind} of ${Markdown.plural(prose.words, "word")}, about ${Markdown.plural(prose.readingMinutes, "minute")} to read.`,
      `${Markdown.bold(name)} 是${isMarkdown ? " Markdown 文档" : "纯文本"}，有 ${Markdown.integer(prose.words)} 个词，大约要读 ${Markdown.integer(prose.readingMinutes)} 分钟。`
    ),
    ...countsTable(prose)
  ]
  if (prose.headings.length > 0) blocks.push(`**${Language.text("Outline", "大纲")}**\n${outline(prose, 25)}`)
  if (prose.links.length > 0) blocks.push(`**${Language.text("Links", "链接")}**\n${linkList(prose, 10)}`)
  if (prose.frequentWords.length > 0)
    blocks.push(
      Language.text(`**Most frequent words**: ${frequentText(prose, 10)}.`, `**高频词**：${frequentText(prose, 10)}。`)
    )
  return blocks
}

/** Sums up what a text is like, in a few sentences. */
export const summariseProse = (prose: Prose, isMarkdown: boolean): ReadonlyArray<string> => {
  const topLevel = Math.min(...prose.headings.map((heading) => heading.level))
  const topHeadings = prose.headings.filter((heading) => heading.level === topLevel).slice(0, 5)
  return [
    Language.text(
      `${isMarkdown ? "A Markdown document" : "Plain text"}, about ${Markdown.plural(prose.readingMinutes, "minute")} to read.`,
      `${isMarkdown ? "Markdown 文档" : "纯文本"}，大约要读 ${Markdown.integer(prose.readingMinutes)} 分钟。`
    ),
    ...(topHeadings.length === 0
      ? []
      : [headedText(Markdown.joinWords(topHeadings.map(({ text }) => `“${Markdown.escapeText(text, 60)}”`)))]),
    ...(prose.frequentWords.length === 0
      ? []
      : [
          Language.text(
            `Its most frequent words are ${frequentText(prose, 5)}.`,
            `最常出现的词是 ${frequentText(prose, 5)}。`
          )
        ])
  ]
}

const headedText = (headings: string): string => Language.text(`It is headed ${headings}.`, `标题有${headings}。`)

/** Answers a question about a text in Markdown, one block per element. */
export const answerAboutProse = (intent: Intent, prose: Prose): ReadonlyArray<string> => {
  switch (intent.kind) {
    case "headings":
      return [
        prose.headings.length === 0
          ? Language.text("The text has no headings.", "文本没有标题。")
          : `${Language.text(`${Markdown.plural(prose.headings.length, "heading")}:`, `${prose.headings.length} 个标题：`)}\n${outline(prose, 60)}`
      ]
    case "links":
      return [
        prose.links.length === 0
          ? Language.text("The text has no links.", "文本没有链接。")
          : `${Language.text(`${Markdown.plural(prose.links.length, "link")}:`, `${prose.links.length} 个链接：`)}\n${linkList(prose, 40)}`
      ]
    case "items":
      return checklist(prose.items, intent.status)
    case "frequent":
      return prose.frequentWords.length === 0
        ? [Language.text("The text has too few words to count.", "文本的词太少，无法统计。")]
        : [
            Markdown.table(
              Language.pick({ english: ["Word", "Times"], chinese: ["词", "次数"] }),
              prose.frequentWords.map(([word, times]) => [Markdown.escapeText(word), Markdown.integer(times)])
            )
          ]
    case "words":
      return countsTable(prose)
    default:
      return []
  }
}

const countsTable = (prose: Prose): ReadonlyArray<string> => {
  const rows: Array<ReadonlyArray<string>> = [
    [Language.text("Words", "词数"), Markdown.integer(prose.words)],
    [Language.text("Sentences", "句数"), Markdown.integer(prose.sentences)],
    [Language.text("Paragraphs", "段数"), Markdown.integer(prose.paragraphs)],
    [Language.text("Lines", "行数"), Markdown.integer(prose.lines)],
    [Language.text("Characters", "字符数"), Markdown.integer(prose.characters)],
    [
      Language.text("Longest line", "最长的行"),
      Language.text(Markdown.plural(prose.longestLine, "character"), `${Markdown.integer(prose.longestLine)} 个字符`)
    ],
    [
      Language.text("Reading time", "阅读时间"),
      Language.text(Markdown.plural(prose.readingMinutes, "minute"), `${Markdown.integer(prose.readingMinutes)} 分钟`)
    ]
  ]
  if (prose.headings.length > 0) rows.push([Language.text("Headings", "标题"), Markdown.integer(prose.headings.length)])
  if (prose.links.length > 0) rows.push([Language.text("Links", "链接"), Markdown.integer(prose.links.length)])
  if (prose.items.length > 0) rows.push([Language.text("Checklist", "清单"), checklistState(prose.items)])
  if (prose.codeBlocks > 0) rows.push([Language.text("Code blocks", "代码块"), Markdown.integer(prose.codeBlocks)])
  if (prose.tables > 0) rows.push([Language.text("Tables", "表格"), Markdown.integer(prose.tables)])
  return [Markdown.table(Language.pick({ english: ["Measure", "Value"], chinese: ["统计", "值"] }), rows)]
}

/** The state of the checklists in words: "3 open, 2 done". */
export const checklistState = (items: ReadonlyArray<ChecklistItem>): string => {
  const done = items.filter((item) => item.isDone).length
  const [openCount, doneCount] = [Markdown.integer(items.length - done), Markdown.integer(done)]
  return Language.text(`${openCount} open, ${doneCount} done`, `未完成 ${openCount} 项，已完成 ${doneCount} 项`)
}

const checklist = (items: ReadonlyArray<ChecklistItem>, status: "open" | "done" | "all"): ReadonlyArray<string> => {
  if (items.length === 0)
    return [
      Language.text(
        "The text has no checklist: no line begins with `- [ ]` or `- [x]`.",
        "文本没有清单：没有以 `- [ ]` 或 `- [x]` 开头的行。"
      )
    ]
  const statuses = status === "all" ? (["open", "done"] as const) : [status]
  return [
    Language.text(
      `The checklists have ${Markdown.plural(items.length, "item")}: ${checklistState(items)}.`,
      `清单有 ${items.length} 项：${checklistState(items)}。`
    ),
    ...statuses.flatMap((state) => {
      const lines = items.filter((item) => item.isDone === (state === "done")).map(itemLine)
      if (lines.length > 40) lines.splice(40, lines.length, moreText(lines.length - 40))
      return lines.length === 0
        ? []
        : [
            `**${state === "open" ? Language.text("Open", "未完成") : Language.text("Done", "已完成")}**\n${lines.join("\n")}`
          ]
    })
  ]
}

const moreText = (count: number): string =>
  Language.text(`- _${Markdown.integer(count)} more_`, `- _另有 ${Markdown.integer(count)} 项_`)

const itemLine = ({ text, heading }: ChecklistItem): string =>
  `- ${Markdown.escapeText(text, 120)}${heading === "" ? "" : ` (${Markdown.escapeText(heading, 60)})`}`

const outline = (prose: Prose, limit: number): string => {
  const topLevel = Math.min(...prose.headings.map((heading) => heading.level))
  const lines = prose.headings
    .slice(0, limit)
    .map(
      (heading) =>
        `${"  ".repeat(heading.level - topLevel)}- ${Markdown.escapeText(heading.text, 80)} (${Language.text(Markdown.plural(heading.words, "word"), `${Markdown.integer(heading.words)} 个词`)})`
    )
  if (prose.headings.length > limit) lines.push(moreText(prose.headings.length - limit))
  return lines.join("\n")
}

/** Writes addresses as code, so that none becomes a clickable link or a mention. */
const linkList = (prose: Prose, limit: number): string => {
  const lines = prose.links.slice(0, limit).map((link) => {
    const url = `\`${link.url.replace(/`/g, "%60").slice(0, 120)}\``
    return link.text === "" ? `- ${url}` : `- ${Markdown.escapeText(link.text, 60)}: ${url}`
  })
  if (prose.links.length > limit) lines.push(moreText(prose.links.length - limit))
  return lines.join("\n")
}

const frequentText = (prose: Prose, limit: number): string =>
  prose.frequentWords
    .slice(0, limit)
    .map(([word, times]) => `${Markdown.escapeText(word)} (${Markdown.integer(times)})`)
    .join(", ")
