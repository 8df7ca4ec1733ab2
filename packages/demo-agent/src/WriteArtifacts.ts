import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { ChartImage } from "./ChartImage.ts"
import * as Markdown from "./Markdown.ts"
import { writeAtomically } from "./SessionState.ts"
import type { Voice } from "./Voice.ts"

/** What is to be written into the `artifacts` folder of the working directory. */
export interface Artifacts {
  readonly report: string
  readonly chart: { readonly file: string; readonly image: ChartImage } | undefined
}

/** What became of it, with a sentence for the summary. */
export interface WriteOutcome {
  /** Why nothing was written, in two or three words; undefined when it was. */
  readonly left: string | undefined
  readonly sentence: string
}

/** Asks for permission and then writes the report and the chart; a refusal or a full disk ends neither turn nor session. */
export const writeArtifacts = async (
  cwd: string,
  artifacts: Artifacts,
  voice: Voice,
  signal: AbortSignal
): Promise<WriteOutcome> => {
  const { report, chart } = artifacts
  const paths = ["artifacts/report.md", ...(chart === undefined ? [] : [`artifacts/${chart.file}`])]
  const lines = [`- \`artifacts/report.md\`, the report, ${Markdown.size(Buffer.byteLength(report))}`]
  if (chart !== undefined) {
    const { width, height, png } = chart.image
    lines.push(`- \`artifacts/${chart.file}\`, the chart, ${width} × ${height}, ${Markdown.size(png.length)}`)
  }
  const title = `Write ${paths.map((path) => path.replace("artifacts/", "")).join(" and ")}`
  const call = await voice.startTool("edit", title, { files: paths }, paths, `To be written:\n${lines.join("\n")}`)
  const permission = await voice.ask(call)
  if (signal.aborted) {
    await voice.moveTool(call, "failed", "Stopped by you before anything was written.")
    signal.throwIfAborted()
  }
  if (permission === "denied") {
    await voice.moveTool(call, "failed", "Not allowed by you; nothing was written.")
    return { left: "not allowed", sentence: "You did not allow writing, so nothing was written." }
  }
  if (permission === "cancelled") {
    await voice.moveTool(call, "failed", "Nobody answered; nothing was written.")
    return { left: "not answered", sentence: "The permission request was not answered, so nothing was written." }
  }
  await voice.moveTool(call, "in_progress")
  try {
    await mkdir(join(cwd, "artifacts"), { recursive: true })
    if (chart !== undefined) await writeAtomically(join(cwd, "artifacts", chart.file), chart.image.png)
    await writeAtomically(join(cwd, "artifacts", "report.md"), report)
  } catch (error) {
    const reason = problemOf(error)
    process.stderr.write(`cannot write artifacts: ${error instanceof Error ? error.message : String(error)}\n`)
    await voice.moveTool(call, "failed", `Not written: ${reason}`)
    return { left: "not possible", sentence: `The files could not be written: ${reason}` }
  }
  await voice.moveTool(call, "completed", `Written:\n${lines.join("\n")}`)
  return { left: undefined, sentence: `Written: ${Markdown.list(paths.map((path) => `\`${path}\``))}.` }
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOSPC") return "the disk is full."
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "the working directory does not allow it."
  if (code === "ENOTDIR" || code === "EEXIST") return "a file named “artifacts” is in the way."
  return "the working directory refused it."
}
