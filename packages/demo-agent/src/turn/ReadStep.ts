import { readData, type Data } from "../data/DataFile.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { startPlan } from "../session/PlanProgress.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import { saveSession } from "../session/SessionStore.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { findFile, readLinkedFile, readStoredFile, storeData } from "../session/Workspace.ts"
import type { ParsedPrompt } from "./Prompt.ts"
import { runTool } from "./ToolStep.ts"

/** Data of this prompt with its display name and its path in the working directory. */
export interface NewData extends Attachment {
  readonly file: string
}

/** Reads the data of a prompt; returns the first file, or `undefined` without data. */
export const readNewData = async (
  live: LiveSession,
  prompt: ParsedPrompt,
  messageId: string,
  writer: SessionWriter
): Promise<NewData | undefined> => {
  const { cwd, state } = live
  const files: Array<NewData> = []
  for (const attachment of prompt.attachments) {
    files.push({ ...attachment, file: await storeData(cwd, attachment, fallbackName(attachment)) })
  }
  for (const { mimeType, uri } of prompt.links) files.push({ ...(await readLinkedFile(cwd, uri)), mimeType })
  if (files.length === 0) files.push(...(await readNamedFile(cwd, prompt.request, state.data?.file)))
  const [first, ...others] = files
  if (first === undefined) return undefined
  for (const { file } of files) state.history.push({ type: "user_file", messageId, name: file })
  const name = first.name === "" ? Language.text("the pasted data", "粘贴的数据") : nameOf(first.name)
  if (others.length > 0) {
    const otherNames = Markdown.joinWords(others.map(({ file }) => Markdown.bold(nameOf(file))))
    await writer.say(
      Language.text(
        `I look at one file at a time and start with ${Markdown.bold(name)}. Say the name of another to go on with it: ${otherNames}.\n`,
        `我一次看一个文件，先看 ${Markdown.bold(name)}。要继续看别的，请说出它的名字：${otherNames}。\n`
      )
    )
  }
  return { ...first, name }
}

/** Reads the data of the session: the new data where there is some, else the stored file. */
export const readSessionData = async (
  live: LiveSession,
  newData: NewData | undefined,
  writer: SessionWriter
): Promise<Data> => {
  const { cwd, state } = live
  const { file, mimeType, name } = newData ?? state.data ?? { file: "", name: "" }
  const { data: earlierData, filters, lastCharts } = state
  if (newData !== undefined) {
    Object.assign(state, { data: { file, name, mimeType }, filters: [], lastCharts: [] })
    // An interrupted turn keeps its file.
    await saveSession(cwd, state)
  }
  live.data = undefined
  await writer.plan(() => startPlan([readTitle(Markdown.escapeText(name, 60)), Language.text("Answer", "回答")]))
  const call = { kind: "read" as const, title: readTitle(name), rawInput: { file }, locations: [file] }
  const data = await runTool(writer, call, async () => {
    const bytes = newData?.bytes ?? (await readStoredFile(cwd, file))
    if (bytes === undefined)
      throw new UnreadableData(
        Language.text(
          `The file ${Markdown.bold(file)} is no longer in my working directory. Send it again.`,
          `文件 ${Markdown.bold(file)} 已不在我的工作目录里。请再发一次。`
        )
      )
    const result = await readData(bytes, name, mimeType, writer.signal)
    const size = Markdown.fileSize(bytes.length)
    return { result, text: Language.text(`${size} read: ${sizeOf(result)}.`, `已读 ${size}：${sizeOf(result)}。`) }
  }).catch((error: unknown) => {
    if (error instanceof UnreadableData) Object.assign(state, { data: earlierData, filters, lastCharts })
    throw error
  })
  live.data = { data, language: Language.now() }
  return data
}

/** Reads the file of the working directory that a request names, unless the session uses it already. */
const readNamedFile = async (
  cwd: string,
  request: string,
  currentFile: string | undefined
): Promise<ReadonlyArray<NewData>> => {
  const name = FILE_NAME.exec(request.slice(0, 2000))?.[1]
  if (name === undefined || name === nameOf(currentFile ?? "")) return []
  const found = await findFile(cwd, name)
  return found === undefined ? [] : [{ ...found, name }]
}

const FILE_NAME = /(?:^|[\s"'“`(])([\p{L}\p{N}_.-]{1,80}\.(?:csv|tsv|tab|jsonl?|ndjson|md|markdown|txt|log))\b/iu

const fallbackName = ({ mimeType = "" }: Attachment): string => `pasted.${EXTENSIONS.get(mimeType) ?? "txt"}`

const EXTENSIONS = new Map([
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
  ["application/json", "json"],
  ["text/markdown", "md"]
])

/** The title of the step that reads a file. */
export const readTitle = (name: string): string => Language.text(`Read ${name}`, `读取 ${name}`)

const sizeOf = (data: Data): string => {
  if (data.kind === "table") {
    const { columns, rowCount } = data.table
    return Language.text(
      `${Markdown.plural(rowCount, "row")}, ${Markdown.plural(columns.length, "column")}`,
      `${Markdown.integer(rowCount)} 行，${Markdown.integer(columns.length)} 列`
    )
  }
  return data.kind === "json"
    ? Language.text(
        Markdown.plural(data.json.shape.length, "path"),
        `${Markdown.integer(data.json.shape.length)} 个路径`
      )
    : Language.text(Markdown.plural(data.prose.words, "word"), `${Markdown.integer(data.prose.words)} 个词`)
}
