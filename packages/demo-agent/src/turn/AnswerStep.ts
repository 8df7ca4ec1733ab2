import { answerClauses } from "../answer/Answer.ts"
import type { Data } from "../data/DataFile.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Clause } from "../question/Clause.ts"
import { examplesFor } from "../question/Examples.ts"
import { completeAll, completeStep, startPlan } from "../session/PlanProgress.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { pushOverview, pushPlan } from "./ArtifactUpdates.ts"
import { drawCharts } from "./ChartStep.ts"
import { readTitle } from "./ReadStep.ts"
import { runTool } from "./ToolStep.ts"

/** A question of a turn. */
export interface Question {
  /** The text of the prompt without the data. */
  readonly request: string
  readonly clauses: ReadonlyArray<Clause>
  /** True when this turn read the data, so that the plan starts with a completed step. */
  readonly readNow: boolean
}

/** Answers a question about data: calculates, draws charts, writes the files and sums up. */
export const answer = async (
  data: Data,
  { clauses, readNow, request }: Question,
  writer: SessionWriter
): Promise<void> => {
  const isReport = clauses.some(({ kind }) => kind === "report")
  const drawsCharts = isReport || clauses.some(({ kind }) => kind === "chart")
  const title = isReport
    ? Language.text("Work out what is in it", "弄清里面有什么")
    : Language.text("Work out the answer", "计算答案")
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
  const call = { kind: "think" as const, title, rawInput: { question: request.slice(0, 300) } }
  const result = await runTool(writer, call, async () => {
    const answered = answerClauses(data, clauses)
    return { result: answered, text: answered.summary }
  })
  for (const message of result.messages) await writer.say(`${message}\n`)
  await writer.plan(completeStep)
  const written = drawsCharts ? await drawCharts(request, isReport, result, writer) : ""
  const examples = Markdown.joinWords(examplesFor(data, 4), "or")
  const suggestion =
    isReport && data.kind === "table"
      ? Language.text(`You can go on with ${examples}.`, `接下来可以说${examples}。`)
      : ""
  const conclusion = [result.summary, written, suggestion].filter((part) => part !== "").join(Language.text(" ", ""))
  await writer.say(`${conclusion}\n`)
  await writer.plan(completeAll)
  await pushOverview(
    writer,
    [...result.findings, `${result.summary}${Language.text(" ", "")}${written}`].join("\n\n").trim()
  )
}
