import { analyse } from "../answer/Analyse.ts"
import { nextFilters } from "../answer/Analysis.ts"
import type { Data } from "../data/DataFile.ts"
import { describeFilters } from "../data/Filter.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ParsedRequest } from "../question/Intent.ts"
import { completeAll, completeStep, startPlan } from "../session/PlanProgress.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { pushOverview, pushPlan } from "./ArtifactUpdates.ts"
import { drawChart } from "./ChartStep.ts"
import { examplesText } from "./Replies.ts"
import { runTool } from "./ToolStep.ts"

/** A question of a turn. */
export interface Question {
  /** The words of the person. */
  readonly request: string
  readonly asked: ParsedRequest
  /** Whether the data was read in this turn. */
  readonly wasRead: boolean
}

/** Answers a question about data: analyses, says, draws, writes and sums up. */
export const answer = async (
  live: LiveSession,
  data: Data,
  { asked, request, wasRead }: Question,
  writer: SessionWriter
): Promise<void> => {
  const { state } = live
  const draws = asked.intent.do === "profile" || asked.intent.do === "chart"
  const steps = [
    ...(wasRead ? [`Read ${Markdown.cell(data.name, 60)}`] : []),
    analysisStep(asked),
    ...(draws ? ["Draw a chart", "Write the report and the chart"] : []),
    "Sum up"
  ]
  await writer.plan(() => startPlan(steps, wasRead ? 1 : 0))
  await pushPlan(writer, request, steps)
  const { filters, notes: filterNotes } = nextFilters(state.filters, asked)
  state.filters = structuredClone(filters) as typeof state.filters
  const rawInput = { question: request.slice(0, 300), filters: describeFilters(filters) }
  const analysis = await runTool(writer, { kind: "think", title: analysisStep(asked), rawInput }, async () => {
    const result = await analyse(data, asked, filters, writer.signal)
    return { result, text: result.summary }
  })
  const notes = [...asked.notes, ...filterNotes]
  if (notes.length > 0) await writer.say(`${notes.join("\n")}\n`)
  for (const message of analysis.messages) await writer.say(`${message}\n`)
  await writer.plan(completeStep)
  const written = draws ? await drawChart(request, asked.intent, analysis, writer) : ""
  const conclusion = [analysis.summary, written].filter((part) => part !== "").join(" ")
  const next = nextStep(data, asked, filters.length > 0)
  await writer.say(`${conclusion}${next === "" ? "" : ` ${next}`}\n`)
  await writer.plan(completeAll)
  const overview =
    asked.intent.do === "profile" ? [conclusion, ...analysis.findings] : [...analysis.findings, conclusion]
  await pushOverview(writer, [...notes, ...overview].join("\n\n"))
}

/** How to go on; while a filter holds, always with the words that lift it. */
const nextStep = (data: Data, { intent }: ParsedRequest, isFiltered: boolean): string => {
  if (intent.do === "profile" || (intent.do === "rows" && isFiltered))
    return `You can go on with ${examplesText(data, isFiltered)}.`
  return isFiltered ? "Say “all rows” to lift the filter." : ""
}

const analysisStep = ({ intent, reset }: ParsedRequest): string => {
  if (intent.do === "profile") return "Work out what is in it"
  if (intent.do === "chart") return "Work out the figures for the chart"
  if (intent.do === "rows") return reset ? "Drop the filters" : "Pick the rows"
  return "Work out the answer"
}
