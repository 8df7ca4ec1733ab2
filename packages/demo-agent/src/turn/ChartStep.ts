import type { Analysis } from "../answer/Analysis.ts"
import type { Chart } from "../chart/Chart.ts"
import { renderChart } from "../chart/ChartImage.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"
import { completeStep, dropStep, skipStep } from "../session/PlanProgress.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { reportOf } from "./Report.ts"
import { runTool } from "./ToolStep.ts"
import { writeArtifacts, type ChartFile } from "./WriteArtifacts.ts"

/** Draws the chart of an analysis and asks to write it with the report; returns a sentence on what was written. */
export const drawChart = async (
  request: string,
  intent: Intent,
  analysis: Analysis,
  writer: SessionWriter
): Promise<string> => {
  const { session: state } = writer
  const requestedPlan = intent.kind === "chart" ? intent.plan : undefined
  state.lastChart = requestedPlan ?? analysis.plan ?? null
  if (analysis.chart === undefined) {
    if (analysis.noChartReason !== undefined) await writer.say(`${analysis.noChartReason}\n`)
    await writer.plan(dropStep)
    if (intent.kind === "chart") {
      await writer.plan(dropStep)
      return Language.text("Nothing was written.", "没有写入任何文件。")
    }
  } else if (intent.kind === "profile")
    await writer.think(
      Language.text(
        `“${analysis.chart.title}” should say most at a glance.\n`,
        `“${analysis.chart.title}”应该最一目了然。\n`
      )
    )
  const chart = analysis.chart === undefined ? undefined : await render(analysis.chart, writer)
  const title = Markdown.escapeText(request === "" ? Language.text("Overview", "概览") : request, 80)
  const section = {
    title,
    text: [...analysis.messages, analysis.summary].join("\n\n"),
    image: chart?.file ?? null
  }
  const report = reportOf({ ...state, sections: [...state.sections, section] })
  const { reason, sentence } = await writeArtifacts({ report, chart }, writer)
  if (reason !== undefined) {
    await writer.plan((plan) => skipStep(plan, reason))
    return sentence
  }
  await writer.plan(completeStep)
  state.sections.push(section)
  if (chart !== undefined) state.charts.push(chart.file)
  return sentence
}

const render = async (chart: Chart, writer: SessionWriter): Promise<ChartFile> => {
  const rawInput = { title: chart.title, subtitle: chart.subtitle }
  const image = await runTool(
    writer,
    { kind: "execute", title: Language.text(`Draw “${chart.title}”`, `画“${chart.title}”`), rawInput },
    async () => {
      const result = await renderChart(chart, writer.signal)
      const size = Markdown.fileSize(result.png.length)
      const pixels = `${result.width} × ${result.height}`
      return { result, text: Language.text(`${pixels} pixels, ${size}.`, `${pixels} 像素，${size}。`) }
    }
  )
  await writer.plan(completeStep)
  return { file: `${uniqueName(chart.slug, writer.session.charts)}.png`, image }
}

const uniqueName = (slug: string, usedFiles: ReadonlyArray<string>): string => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`
    if (!usedFiles.includes(`${name}.png`)) return name
  }
}
