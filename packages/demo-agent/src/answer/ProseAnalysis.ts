import { proseChart } from "../chart/ProseChart.ts"
import type { Data } from "../data/DataFile.ts"
import type { Prose } from "../data/Prose.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ParsedRequest } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { summarise } from "./Summary.ts"
import { answerAboutProse, checklistState, profileProse, summariseProse } from "./TextAnswer.ts"

/** Answers a request about a text. */
export const analyseProse = (
  { markdown, name, notes, prose }: Extract<Data, { readonly kind: "prose" }>,
  { also = [], intent }: ParsedRequest
): Analysis => {
  const further = also.flatMap((other) => answerAboutProse(other, prose))
  const summary = summaryOf(name, prose)
  if (intent.do !== "profile" && intent.do !== "chart") {
    const messages = [...answerAboutProse(intent, prose), ...further]
    return { messages, summary, findings: summarise(messages) }
  }
  const profiled = intent.do === "profile"
  const chart = proseChart(prose, !profiled)
  return {
    messages: [...(profiled ? [...notes, ...profileProse(prose, name, markdown)] : []), ...further],
    summary,
    findings: [...(profiled ? summariseProse(prose, markdown) : []), ...summarise(further)],
    chart,
    noChart: chart === undefined ? "The text is too short for a chart." : undefined
  }
}

const summaryOf = (name: string, { headings, items, links, words }: Prose): string => {
  const counts = [
    Markdown.plural(words, "word"),
    Markdown.plural(headings.length, "heading"),
    Markdown.plural(links.length, "link"),
    ...(items.length === 0 ? [] : [`${Markdown.plural(items.length, "checklist item")} (${checklistState(items)})`])
  ]
  return `${Markdown.bold(name)}: ${counts.join(", ")}.`
}
