import { readData, type Data } from "../data/DataFile.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { startPlan } from "../session/PlanProgress.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { findFile, readLinkedFile, readStoredFile, storeData } from "../session/Workspace.ts"
import type { ParsedPrompt } from "./Prompt.ts"
import { runTool } from "./ToolStep.ts"

/** Data of this prompt with its display name and its path in the working directory. */
export interface NewData extends Attachment {
  readonly file: string
}

/** The data of a prompt in the working directory. */
export interface StoredData {
  readonly first: NewData
  /** The names of further files. */
  readonly others: ReadonlyArray<string>
}

/** Stores the data of a prompt and makes it that of the session; `undefined` without data. */
export const storeNewData = async (
  { cwd, state }: LiveSession,
  prompt: ParsedPrompt,
  messageId: string
): Promise<StoredData | undefined> => {
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
  state.data = { file: first.file, name, mimeType: first.mimeType }
  return { first: { ...first, name }, others: others.map(({ file }) => nameOf(file)) }
}

/** Reads the data of the session: the new data where there is some, else the stored file. */
export const readSessionData = async (
  live: LiveSession,
  newData: NewData | undefined,
  writer: SessionWriter
): Promise<Data> => {
  const { cwd, state } = live
  const { file, mimeType, name } = newData ?? state.data ?? { file: "", name: "" }
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

const sizeOf = (data: Data): string =>
  data.kind === "table"
    ? Language.text(
        `${Markdown.plural(data.table.rowCount, "row")}, ${Markdown.plural(data.table.columns.length, "column")}`,
        `${Markdown.integer(data.table.rowCount)} 行，${Markdown.integer(data.table.columns.length)} 列`
      )
    : Language.text(Markdown.plural(data.prose.words, "word"), `${Markdown.integer(data.prose.words)} 个词`)
