import type { Answer } from "../answer/Answer.ts"
import type { Chart } from "../chart/Chart.ts"
import { renderChart } from "../chart/ChartImage.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { completeStep, dropStep, skipStep } from "../session/PlanProgress.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { reportOf } from "./Report.ts"
import { runTool } from "./ToolStep.ts"
import { writeArtifacts, type ChartFile } from "./WriteArtifacts.ts"

/** Draws the charts of an answer and asks to write them with the report; returns a sentence on what was written. */
export const drawCharts = async (
  request: string,
  isLook: boolean,
  { charts: drawn, messages, summary }: Answer,
  writer: SessionWriter
): Promise<string> => {
  const { session: state } = writer
  const [first] = drawn
  if (first === undefined) {
    await writer.plan(dropStep)
    if (!isLook) {
      await writer.plan(dropStep)
      return Language.text("Nothing was written.", "没有写入任何文件。")
    }
  } else if (isLook)
    await writer.think(
      Language.text(`“${first.title}” should say most at a glance.\n`, `“${first.title}”应该最一目了然。\n`)
    )
  const charts: Array<ChartFile> = []
  for (const chart of drawn) charts.push(await render(chart, charts, writer))
  if (first !== undefined) await writer.plan(completeStep)
  const title = Markdown.escapeText(request === "" ? Language.text("Overview", "概览") : request, 80)
  const text = [...messages, summary].join("\n\n")
  const sections = [
    { title, text, image: charts[0]?.file ?? null },
    ...charts.slice(1).map(({ file, title: of }) => ({ title: Markdown.escapeText(of, 80), text: "", image: file }))
  ]
  const report = reportOf({ ...state, sections: [...state.sections, ...sections] })
  const { reason, sentence } = await writeArtifacts({ report, charts }, writer)
  if (reason !== undefined) {
    await writer.plan((plan) => skipStep(plan, reason))
    return sentence
  }
  await writer.plan(completeStep)
  state.sections.push(...sections)
  state.charts.push(...charts.map(({ file }) => file))
  return sentence
}

const render = async (chart: Chart, others: ReadonlyArray<ChartFile>, writer: SessionWriter): Promise<ChartFile> => {
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
  const used = [...writer.session.charts, ...others.map(({ file }) => file)]
  return { file: `${uniqueName(chart.slug, used)}.png`, image, title: chart.title }
}

const uniqueName = (slug: string, usedFiles: ReadonlyArray<string>): string => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`
    if (!usedFiles.includes(`${name}.png`)) return name
  }
}
