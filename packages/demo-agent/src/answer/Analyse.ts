import type { Data } from "../data/DataFile.ts"
import type { Filter } from "../data/Filter.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ParsedRequest } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { maxShapePaths, profileJson, shapeTable } from "./JsonAnswer.ts"
import { analyseProse } from "./ProseAnalysis.ts"
import { readingNotes } from "./ReadingNotes.ts"
import { summarise } from "./Summary.ts"
import { analyseTable, profileTable } from "./TableAnalysis.ts"

/** Answers a request about data; pure but for yielding to the event loop. */
export const analyse = async (
  data: Data,
  request: ParsedRequest,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  if (data.kind === "json") return analyseJson(data, request)
  if (data.kind === "prose") return analyseProse(data, request)
  const { otherIntents = [], intent } = request
  const analysis =
    intent.kind === "profile"
      ? await profileTable(data, intent.plan, filters, signal)
      : await analyseTable(data, intent, filters, signal)
  const otherMessages: Array<string> = []
  let isRefused = analysis.isRefused === true
  for (const otherIntent of otherIntents) {
    const other = await analyseTable(data, otherIntent, filters, signal)
    otherMessages.push(...other.messages)
    isRefused &&= other.isRefused === true
  }
  const notes = isRefused ? [] : readingNotes(data.table, filters, request)
  return {
    ...analysis,
    isRefused,
    messages: [...analysis.messages, ...otherMessages, ...notes],
    findings: [...analysis.findings, ...summarise(otherMessages), ...notes]
  }
}

const analyseJson = (
  { json, name, notes }: Extract<Data, { readonly kind: "json" }>,
  { intent }: ParsedRequest
): Analysis => ({
  messages: intent.kind === "shape" ? [shapeTable(json, maxShapePaths)] : [...notes, ...profileJson(json, name)],
  summary: Language.text(
    `${Markdown.bold(name)} is JSON with ${Markdown.plural(json.shape.length, "path")} and no array of objects, so it cannot become a table.`,
    `${Markdown.bold(name)} 是有 ${Markdown.integer(json.shape.length)} 个路径的 JSON，没有对象数组，所以不能变成表格。`
  ),
  findings: [],
  noChartReason: Language.text("It contains nothing to plot.", "里面没有可以画图的内容。")
})
