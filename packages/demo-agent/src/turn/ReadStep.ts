import { readData, type Data } from "../data/DataFile.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Markdown from "../format/Markdown.ts"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { startPlan } from "../session/PlanProgress.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { keepData, readLinked, readNamed } from "../session/Workspace.ts"
import type { ReadPrompt } from "./Prompt.ts"
import { runTool } from "./ToolStep.ts"

/** Data of this prompt under its name for people and its file in the working directory. */
export interface GivenData extends Attachment {
  readonly file: string
}

/** Keeps the data that came with a prompt in the working directory; gives the first one when there are several. */
export const newData = async (
  { cwd, state }: LiveSession,
  prompt: ReadPrompt,
  messageId: string,
  writer: SessionWriter
): Promise<GivenData | undefined> => {
  const all: Array<Attachment> = [...prompt.attachments]
  for (const link of prompt.links) all.push(await readLinked(cwd, link.uri))
  const named = all.length === 0 ? await namedFile(cwd, prompt.request, state.data?.file) : undefined
  if (named !== undefined) all.push(named)
  const [first] = all
  if (first === undefined) return undefined
  const files: Array<string> = []
  for (const attachment of all) {
    const name = await keepData(cwd, attachment, fallbackName(attachment))
    files.push(name)
    state.history.push({ type: "user_file", messageId, name })
  }
  const [file = "", ...others] = files
  const name = first.name === "" ? "the pasted data" : nameOf(first.name)
  if (others.length > 0)
    await writer.say(
      `I look at one file at a time and start with ${Markdown.bold(name)}. Say the name of another to go on with it: ${Markdown.list(others.map(Markdown.bold))}.\n`
    )
  return { name, file, mimeType: first.mimeType, bytes: first.bytes }
}

/** Reads the data of a session, which is new when it is given. */
export const readSessionData = async (
  live: LiveSession,
  given: GivenData | undefined,
  writer: SessionWriter
): Promise<Data> => {
  const { cwd, state } = live
  const { file, mimeType, name } = given ?? state.data ?? { file: "", name: "" }
  await writer.plan(() => startPlan([`Read ${Markdown.cell(name, 60)}`, "Answer"]))
  const call = { kind: "read" as const, title: `Read ${name}`, rawInput: { file }, locations: [file] }
  const data = await runTool(writer, call, async () => {
    const bytes = given?.bytes ?? (await readNamed(cwd, file))
    if (bytes === undefined)
      throw new UnreadableData(`The file ${Markdown.bold(file)} is no longer in my working directory. Send it again.`)
    const result = await readData(bytes, name, mimeType, writer.signal)
    return { result, text: `${Markdown.size(bytes.length)} read: ${sizeOf(result)}.` }
  })
  if (given !== undefined) {
    state.data = { file, name, mimeType }
    state.filters = []
  }
  live.data = data
  return data
}

/** A file of the working directory that a request names, unless it is the data in use. */
const namedFile = async (cwd: string, request: string, inUse: string | undefined): Promise<Attachment | undefined> => {
  const name = FILE_NAME.exec(request.slice(0, 2000))?.[1]
  if (name === undefined || name === inUse) return undefined
  const bytes = await readNamed(cwd, name)
  return bytes === undefined ? undefined : { name, bytes }
}

const FILE_NAME = /(?:^|[\s"'“`(])([\p{L}\p{N}_.-]{1,80}\.(?:csv|tsv|tab|jsonl?|ndjson|md|markdown|txt|log))\b/iu

const fallbackName = ({ mimeType = "" }: Attachment): string => `pasted.${EXTENSIONS.get(mimeType) ?? "txt"}`

const EXTENSIONS = new Map([
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
  ["application/json", "json"],
  ["text/markdown", "md"]
])

const sizeOf = (data: Data): string => {
  if (data.kind === "table")
    return `${Markdown.plural(data.table.rowCount, "row")}, ${Markdown.plural(data.table.columns.length, "column")}`
  return data.kind === "json"
    ? Markdown.plural(data.json.shape.length, "path")
    : Markdown.plural(data.prose.words, "word")
}
