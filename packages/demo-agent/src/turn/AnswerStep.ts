import { analyse } from "../answer/Analyse.ts"
import { scopesOf, withLastCharts } from "../answer/Analysis.ts"
import type { Data } from "../data/DataFile.ts"
import { describeFilters, type Filter } from "../data/Filter.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Part } from "../question/Intent.ts"
import { completeAll, completeStep, startPlan } from "../session/PlanProgress.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { pushOverview, pushPlan } from "./ArtifactUpdates.ts"
import { drawCharts } from "./ChartStep.ts"
import { readTitle } from "./ReadStep.ts"
import { examplesText } from "./Replies.ts"
import { runTool } from "./ToolStep.ts"

/** A question of a turn. */
export interface Question {
  /** The text of the prompt without the data. */
  readonly request: string
  readonly parts: ReadonlyArray<Part>
  /** True when this turn read the data, so that the plan starts with a completed step. */
  readonly readNow: boolean
}

/**
 * Answers a question about data: analyses it, draws charts, writes the files and sums up. Returns false where nothing
 * that was asked for can be done.
 */
export const answer = async (
  live: LiveSession,
  data: Data,
  question: Question,
  writer: SessionWriter
): Promise<boolean> => {
  const { state } = live
  const { readNow, request } = question
  const parts = withLastCharts(question.parts, state.lastCharts)
  const isLook = parts.some(({ intent }) => intent.kind === "profile")
  const drawsCharts = isLook || parts.some(({ intent }) => intent.kind === "chart" || intent.kind === "frequentChart")
  const title = analysisTitle(parts)
  const steps = [
    ...(readNow ? [readTitle(Markdown.escapeText(data.name, 60))] : []),
    title,
    ...(drawsCharts
      ? [Language.text("Draw a chart", "画图"), Language.text("Write the report and the chart", "写报告和图")]
      : []),
    Language.text("Sum up", "总结")
  ]
  await writer.plan(() => startPlan(steps, readNow ? 1 : 0))
  await pushPlan(writer, request, steps)
  const { kept, notes, ofParts } = scopesOf(state.filters, parts)
  state.filters = structuredClone(kept) as typeof state.filters
  const rawInput = { question: request.slice(0, 300), filters: ofParts.map(describeFilters).join("; ") }
  const analysis = await runTool(writer, { kind: "think", title, rawInput }, async () => {
    const result = await analyse(data, parts, ofParts, writer.signal)
    return { result, text: result.summary }
  })
  for (const message of [...notes, ...analysis.messages]) await writer.say(`${message}\n`)
  await writer.plan(completeStep)
  const writeSentence = drawsCharts ? await drawCharts(request, isLook, analysis, writer) : ""
  const conclusion = [analysis.summary, writeSentence].filter((part) => part !== "").join(Language.text(" ", ""))
  const suggestion = suggestNext(data, parts, kept)
  await writer.say(`${conclusion}${suggestion === "" ? "" : Language.text(` ${suggestion}`, suggestion)}\n`)
  await writer.plan(completeAll)
  const overview = isLook ? [conclusion, ...analysis.findings] : [...analysis.findings, conclusion]
  await pushOverview(writer, [...notes, ...overview].join("\n\n"))
  return !analysis.isRefused
}

/** Suggests the next request; while rows are filtered, always how to lift the filter. */
const suggestNext = (data: Data, parts: ReadonlyArray<Part>, filters: ReadonlyArray<Filter>): string => {
  const isFiltered = filters.length > 0
  const kind = parts.at(-1)?.intent.kind
  if (kind === "profile" || (kind === "rows" && isFiltered))
    return Language.text(
      `You can go on with ${examplesText(data, filters)}.`,
      `接下来可以说${examplesText(data, filters)}。`
    )
  return isFiltered ? Language.text("Say “all rows” to lift the filter.", "说“全部行”可以取消筛选。") : ""
}

const analysisTitle = (parts: ReadonlyArray<Part>): string => {
  const last = parts.at(-1)
  if (parts.some(({ intent }) => intent.kind === "profile"))
    return Language.text("Work out what is in it", "弄清里面有什么")
  if (last?.intent.kind === "chart") return Language.text("Work out the figures for the chart", "计算图的数字")
  if (last?.intent.kind === "rows")
    return last.reset ? Language.text("Drop the filters", "取消筛选") : Language.text("Pick the rows", "选出行")
  return Language.text("Work out the answer", "计算答案")
}
