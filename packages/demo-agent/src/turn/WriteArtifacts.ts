import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { ChartImage } from "../chart/ChartImage.ts"
import * as Markdown from "../format/Markdown.ts"
import { writeAtomically } from "../session/AtomicFile.ts"
import { askPermission } from "../session/PermissionRequest.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"

/** A chart and the name of its file. */
export interface ChartFile {
  readonly file: string
  readonly image: ChartImage
}

/** The content of the `artifacts` folder of the working directory. */
export interface Artifacts {
  readonly report: string
  readonly chart: ChartFile | undefined
}

/** Whether the files were written, with a sentence for the summary. */
export interface WriteOutcome {
  /** Why nothing was written, in two or three words; undefined when the files were written. */
  readonly reason: string | undefined
  readonly sentence: string
}

/**
 * Asks for permission and then writes the report and the chart. The turn goes on after a refusal or a failed write.
 */
export const writeArtifacts = async (artifacts: Artifacts, writer: SessionWriter): Promise<WriteOutcome> => {
  const { chart } = artifacts
  const files = ["report.md", ...(chart === undefined ? [] : [chart.file])]
  const paths = files.map((file) => `artifacts/${file}`)
  const list = describeFiles(artifacts)
  const call = await writer.startTool({
    kind: "edit",
    title: `Write ${files.join(" and ")}`,
    rawInput: { files: paths },
    locations: paths,
    text: `To be written:\n${list}`
  })
  const permission = await askPermission(writer, call)
  if (writer.signal.aborted) {
    await writer.updateTool(call, "failed", "Stopped by you before anything was written.")
    writer.signal.throwIfAborted()
  }
  if (permission !== "allowed") {
    const { outcome, text } = REFUSALS[permission]
    await writer.updateTool(call, "failed", text)
    return outcome
  }
  await writer.updateTool(call, "in_progress")
  const problem = await writeFiles(writer.cwd, artifacts)
  if (problem !== undefined) {
    await writer.updateTool(call, "failed", `Not written: ${problem}`)
    return { reason: "not possible", sentence: `The files could not be written: ${problem}` }
  }
  await writer.updateTool(call, "completed", `Written:\n${list}`)
  return { reason: undefined, sentence: `Written: ${Markdown.joinWords(paths.map((path) => `\`${path}\``))}.` }
}

const REFUSALS = {
  denied: {
    text: "Not allowed by you; nothing was written.",
    outcome: { reason: "not allowed", sentence: "You did not allow writing, so nothing was written." }
  },
  cancelled: {
    text: "There was no answer; nothing was written.",
    outcome: {
      reason: "not answered",
      sentence: "The permission request was not answered, so nothing was written."
    }
  }
}

const describeFiles = ({ chart, report }: Artifacts): string => {
  const lines = [`- \`artifacts/report.md\`, the report, ${Markdown.fileSize(Buffer.byteLength(report))}`]
  if (chart !== undefined) {
    const { height, png, width } = chart.image
    lines.push(`- \`artifacts/${chart.file}\`, the chart, ${width} × ${height}, ${Markdown.fileSize(png.length)}`)
  }
  return lines.join("\n")
}

/** Writes the files; returns the problem when that fails. */
const writeFiles = async (cwd: string, { chart, report }: Artifacts): Promise<string | undefined> => {
  try {
    await mkdir(join(cwd, "artifacts"), { recursive: true })
    if (chart !== undefined) await writeAtomically(join(cwd, "artifacts", chart.file), chart.image.png)
    await writeAtomically(join(cwd, "artifacts", "report.md"), report)
    return undefined
  } catch (error) {
    process.stderr.write(`cannot write artifacts: ${error instanceof Error ? error.message : String(error)}\n`)
    return problemOf(error)
  }
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOSPC") return "the disk is full."
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "the working directory does not allow it."
  if (code === "ENOTDIR" || code === "EEXIST") return "a file named “artifacts” is in the way."
  return "the working directory refused it."
}
