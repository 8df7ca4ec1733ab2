import { proseChart } from "../chart/ProseChart.ts"
import type { Data } from "../data/DataFile.ts"
import type { Prose } from "../data/Prose.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ParsedRequest } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { summarise } from "./Summary.ts"
import { answerAboutProse, checklistState, profileProse, summariseProse } from "./TextAnswer.ts"

/** Answers a request about a text. */
export const analyseProse = (
  { isMarkdown, name, notes, prose }: Extract<Data, { readonly kind: "prose" }>,
  { otherIntents = [], intent }: ParsedRequest
): Analysis => {
  const otherMessages = otherIntents.flatMap((other) => answerAboutProse(other, prose))
  const summary = summaryOf(name, prose)
  if (intent.kind !== "profile" && intent.kind !== "chart") {
    const messages = [...answerAboutProse(intent, prose), ...otherMessages]
    return { messages, summary, findings: summarise(messages) }
  }
  const isProfile = intent.kind === "profile"
  const chart = proseChart(prose, !isProfile)
  return {
    messages: [...(isProfile ? [...notes, ...profileProse(prose, name, isMarkdown)] : []), ...otherMessages],
    summary,
    findings: [...(isProfile ? summariseProse(prose, isMarkdown) : []), ...summarise(otherMessages)],
    chart,
    noChartReason:
      chart === undefined ? Language.text("The text is too short for a chart.", "文本太短，画不出图。") : undefined
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
