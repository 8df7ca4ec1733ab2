import { proseChart } from "../chart/ProseChart.ts"
import type { Data } from "../data/DataFile.ts"
import type { Prose } from "../data/Prose.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Part } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { summarise } from "./Summary.ts"
import { answerAboutProse, checklistState, profileProse, summariseProse } from "./TextAnswer.ts"

/** Answers a request about a text. */
export const analyseProse = (
  { isMarkdown, name, notes, prose }: Extract<Data, { readonly kind: "prose" }>,
  parts: ReadonlyArray<Part>
): Analysis => {
  const answers = parts.map(({ intent }) => {
    const isProfile = intent.kind === "profile"
    const chart = isProfile || intent.kind === "frequentChart" ? proseChart(prose, !isProfile) : undefined
    const noChart = Language.text("The text is too short for a chart.", "文本太短，画不出图。")
    return {
      messages: [
        ...(isProfile ? [...notes, ...profileProse(prose, name, isMarkdown)] : answerAboutProse(intent, prose)),
        ...(intent.kind === "frequentChart" && chart === undefined ? [noChart] : [])
      ],
      findings: isProfile ? summariseProse(prose, isMarkdown) : summarise(answerAboutProse(intent, prose)),
      charts: chart === undefined ? [] : [{ chart, plan: undefined }],
      isRefused: intent.kind === "frequentChart" && chart === undefined
    }
  })
  return {
    messages: answers.flatMap(({ messages }) => messages),
    summary: summaryOf(name, prose),
    findings: answers.flatMap(({ findings }) => findings),
    charts: answers.flatMap(({ charts }) => charts),
    isRefused: answers.every(({ isRefused }) => isRefused)
  }
}

const summaryOf = (name: string, { headings, items, links, words }: Prose): string => {
  const counts = [
    Markdown.plural(words, "word"),
    Markdown.plural(headings.length, "heading"),
    Markdown.plural(links.length, "link"),
    ...(items.length === 0 ? [] : [`${Markdown.plural(items.length, "checklist item")} (${checklistState(items)})`])
  ]
  const checklist = items.length === 0 ? "" : `，${items.length} 个清单项（${checklistState(items)}）`
  return Language.text(
    `${Markdown.bold(name)}: ${counts.join(", ")}.`,
    `${Markdown.bold(name)}：${Markdown.integer(words)} 个词，${headings.length} 个标题，${links.length} 个链接${checklist}。`
  )
}
