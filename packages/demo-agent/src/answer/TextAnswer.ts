import type { ChecklistItem } from "../data/MarkdownStructure.ts"
import type { Prose } from "../data/Prose.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"

/** Profiles a Markdown or plain text, one block per element. */
export const profileProse = (prose: Prose, name: string, isMarkdown: boolean): ReadonlyArray<string> => {
  const kind = isMarkdown ? "a Markdown document" : "plain text"
  const blocks = [
    `${Markdown.bold(name)} is ${kind} of ${Markdown.plural(prose.words, "word")}, about ${Markdown.plural(prose.readingMinutes, "minute")} to read.`,
    ...countsTable(prose)
  ]
  if (prose.headings.length > 0) blocks.push(`**Outline**\n${outline(prose, 25)}`)
  if (prose.links.length > 0) blocks.push(`**Links**\n${linkList(prose, 10)}`)
  if (prose.frequentWords.length > 0) blocks.push(`**Most frequent words**: ${frequentText(prose, 10)}.`)
  return blocks
}

/** Sums up what a text is like, in a few sentences. */
export const summariseProse = (prose: Prose, isMarkdown: boolean): ReadonlyArray<string> => {
  const topLevel = Math.min(...prose.headings.map((heading) => heading.level))
  const topHeadings = prose.headings.filter((heading) => heading.level === topLevel).slice(0, 5)
  return [
    `${isMarkdown ? "A Markdown document" : "Plain text"}, about ${Markdown.plural(prose.readingMinutes, "minute")} to read.`,
    ...(topHeadings.length === 0
      ? []
      : [`It is headed ${Markdown.joinWords(topHeadings.map(({ text }) => `“${Markdown.escapeText(text, 60)}”`))}.`]),
    ...(prose.frequentWords.length === 0 ? [] : [`Its most frequent words are ${frequentText(prose, 5)}.`])
  ]
}

/** Answers a question about a text in Markdown, one block per element. */
export const answerAboutProse = (intent: Intent, prose: Prose): ReadonlyArray<string> => {
  switch (intent.kind) {
    case "headings":
      return [
        prose.headings.length === 0
          ? "The text has no headings."
          : `${Markdown.plural(prose.headings.length, "heading")}:\n${outline(prose, 60)}`
      ]
    case "links":
      return [
        prose.links.length === 0
          ? "The text has no links."
          : `${Markdown.plural(prose.links.length, "link")}:\n${linkList(prose, 40)}`
      ]
    case "items":
      return checklist(prose.items, intent.status)
    case "frequent":
      return prose.frequentWords.length === 0
        ? ["The text has too few words to count."]
        : [
            Markdown.table(
              ["Word", "Times"],
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
    ["Words", Markdown.integer(prose.words)],
    ["Sentences", Markdown.integer(prose.sentences)],
    ["Paragraphs", Markdown.integer(prose.paragraphs)],
    ["Lines", Markdown.integer(prose.lines)],
    ["Characters", Markdown.integer(prose.characters)],
    ["Longest line", Markdown.plural(prose.longestLine, "character")],
    ["Reading time", Markdown.plural(prose.readingMinutes, "minute")]
  ]
  if (prose.headings.length > 0) rows.push(["Headings", Markdown.integer(prose.headings.length)])
  if (prose.links.length > 0) rows.push(["Links", Markdown.integer(prose.links.length)])
  if (prose.items.length > 0) rows.push(["Checklist", checklistState(prose.items)])
  if (prose.codeBlocks > 0) rows.push(["Code blocks", Markdown.integer(prose.codeBlocks)])
  if (prose.tables > 0) rows.push(["Tables", Markdown.integer(prose.tables)])
  return [Markdown.table(["Measure", "Value"], rows)]
}

/** The state of the checklists in words: "3 open, 2 done". */
export const checklistState = (items: ReadonlyArray<ChecklistItem>): string => {
  const done = items.filter((item) => item.isDone).length
  return `${Markdown.integer(items.length - done)} open, ${Markdown.integer(done)} done`
}

const checklist = (items: ReadonlyArray<ChecklistItem>, status: "open" | "done" | "all"): ReadonlyArray<string> => {
  if (items.length === 0) return ["The text has no checklist: no line begins with `- [ ]` or `- [x]`."]
  const statuses = status === "all" ? (["open", "done"] as const) : [status]
  return [
    `The checklists have ${Markdown.plural(items.length, "item")}: ${checklistState(items)}.`,
    ...statuses.flatMap((state) => {
      const lines = items.filter((item) => item.isDone === (state === "done")).map(itemLine)
      if (lines.length > 40) lines.splice(40, lines.length, `- _${Markdown.integer(lines.length - 40)} more_`)
      return lines.length === 0 ? [] : [`**${state === "open" ? "Open" : "Done"}**\n${lines.join("\n")}`]
    })
  ]
}

const itemLine = ({ text, heading }: ChecklistItem): string =>
  `- ${Markdown.escapeText(text, 120)}${heading === "" ? "" : ` (${Markdown.escapeText(heading, 60)})`}`

const outline = (prose: Prose, limit: number): string => {
  const topLevel = Math.min(...prose.headings.map((heading) => heading.level))
  const lines = prose.headings
    .slice(0, limit)
    .map(
      (heading) =>
        `${"  ".repeat(heading.level - topLevel)}- ${Markdown.escapeText(heading.text, 80)} (${Markdown.plural(heading.words, "word")})`
    )
  if (prose.headings.length > limit) lines.push(`- _${prose.headings.length - limit} more_`)
  return lines.join("\n")
}

/** Writes addresses as code, so that none becomes a clickable link or a mention. */
const linkList = (prose: Prose, limit: number): string => {
  const lines = prose.links.slice(0, limit).map((link) => {
    const url = `\`${link.url.replace(/`/g, "%60").slice(0, 120)}\``
    return link.text === "" ? `- ${url}` : `- ${Markdown.escapeText(link.text, 60)}: ${url}`
  })
  if (prose.links.length > limit) lines.push(`- _${Markdown.integer(prose.links.length - limit)} more_`)
  return lines.join("\n")
}

const frequentText = (prose: Prose, limit: number): string =>
  prose.frequentWords
    .slice(0, limit)
    .map(([word, times]) => `${Markdown.escapeText(word)} (${Markdown.integer(times)})`)
    .join(", ")
