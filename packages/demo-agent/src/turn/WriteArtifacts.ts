import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { ChartImage } from "../chart/ChartImage.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { writeAtomically } from "../session/AtomicFile.ts"
import { askPermission } from "../session/PermissionRequest.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"

/** A chart and the name of its file. */
export interface ChartFile {
  readonly file: string
  readonly title: string
  readonly image: ChartImage
}

/** The content of the `artifacts` folder of the working directory. */
export interface Artifacts {
  readonly report: string
  readonly charts: ReadonlyArray<ChartFile>
}

/** Whether the files were written, with a sentence for the summary. */
export interface WriteOutcome {
  /** Why nothing was written, in two or three words; undefined when the files were written. */
  readonly reason: string | undefined
  readonly sentence: string
}

/**
 * Asks for permission and then writes the report and the charts. The turn goes on after a refusal or a failed write.
 */
export const writeArtifacts = async (artifacts: Artifacts, writer: SessionWriter): Promise<WriteOutcome> => {
  const files = ["report.md", ...artifacts.charts.map(({ file }) => file)]
  const paths = files.map((file) => `artifacts/${file}`)
  const list = describeFiles(artifacts)
  const call = await writer.startTool({
    kind: "edit",
    title: Language.text(`Write ${Markdown.joinWords(files)}`, `写入 ${files.join(" 和 ")}`),
    rawInput: { files: paths },
    locations: paths,
    text: Language.text(`To be written:\n${list}`, `将要写入：\n${list}`)
  })
  const permission = await askPermission(writer, call)
  if (writer.signal.aborted) {
    await writer.updateTool(
      call,
      "failed",
      Language.text("Stopped by you before anything was written.", "已被您停止，没有写入任何文件。")
    )
    writer.signal.throwIfAborted()
  }
  if (permission !== "allowed") {
    const outcome = refusalFor(permission)
    await writer.updateTool(call, "failed", outcome.sentence)
    return outcome
  }
  await writer.updateTool(call, "in_progress")
  const problem = await writeFiles(writer.cwd, artifacts)
  if (problem !== undefined) {
    await writer.updateTool(call, "failed", Language.text(`Not written: ${problem}`, `没有写入：${problem}`))
    return {
      reason: Language.text("not possible", "无法完成"),
      sentence: Language.text(`The files could not be written: ${problem}`, `文件无法写入：${problem}`)
    }
  }
  await writer.updateTool(call, "completed", Language.text(`Written:\n${list}`, `已写入：\n${list}`))
  const written = Markdown.joinWords(paths.map((path) => `\`${path}\``))
  return { reason: undefined, sentence: Language.text(`Written: ${written}.`, `已写入：${written}。`) }
}

/** Why nothing was written after a refused or an unanswered request. */
const refusalFor = (permission: "denied" | "cancelled"): WriteOutcome => {
  const [reason, sentence] =
    permission === "denied"
      ? [Language.text("not allowed", "未允许"), Language.text("You did not allow writing", "您没有允许写入")]
      : [
          Language.text("not answered", "未回答"),
          Language.text("The permission request was not answered", "写入的请求没有得到回答")
        ]
  return {
    reason,
    sentence: Language.text(`${sentence}, so nothing was written.`, `${sentence}，所以没有写入任何文件。`)
  }
}

const describeFiles = ({ charts, report }: Artifacts): string => {
  const lines = [
    `- \`artifacts/report.md\`${Language.text(", the report, ", "，报告，")}${Markdown.fileSize(Buffer.byteLength(report))}`
  ]
  for (const { file, image } of charts) {
    const facts = `${image.width} × ${image.height}, ${Markdown.fileSize(image.png.length)}`
    lines.push(`- \`artifacts/${file}\`${Language.text(", the chart, ", "，图，")}${facts}`)
  }
  return lines.join("\n")
}

/** Writes the files; returns the problem when that fails. */
const writeFiles = async (cwd: string, { charts, report }: Artifacts): Promise<string | undefined> => {
  try {
    await mkdir(join(cwd, "artifacts"), { recursive: true })
    for (const { file, image } of charts) await writeAtomically(join(cwd, "artifacts", file), image.png)
    await writeAtomically(join(cwd, "artifacts", "report.md"), report)
    return undefined
  } catch (error) {
    process.stderr.write(`cannot write artifacts: ${error instanceof Error ? error.message : String(error)}\n`)
    return problemOf(error)
  }
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOSPC") return Language.text("the disk is full.", "磁盘已满。")
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return Language.text("the working directory does not allow it.", "工作目录不允许写入。")
  if (code === "ENOTDIR" || code === "EEXIST")
    return Language.text("a file named “artifacts” is in the way.", "有一个名为“artifacts”的文件挡在那里。")
  return Language.text("the working directory refused it.", "工作目录拒绝写入。")
}
