import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { readCsv } from "./Csv.ts"
import { detectFileKind, type FileKind } from "./FileKind.ts"
import { InvalidJson, readJson } from "./Json.ts"
import { readMarkdownTable } from "./MarkdownTable.ts"
import { readProse, type Prose } from "./Prose.ts"
import type { Table } from "./Table.ts"
import { UnreadableData } from "./UnreadableData.ts"

/** Data with its parsed content. */
export type Data =
  | { readonly kind: "table"; readonly name: string; readonly table: Table }
  | { readonly kind: "prose"; readonly name: string; readonly prose: Prose; readonly notes: ReadonlyArray<string> }

/** Reads data of any kind; fails with {@link UnreadableData}, whose message gives the reason. */
export const readData = async (
  bytes: Uint8Array,
  name: string,
  mimeType: string | undefined,
  signal: AbortSignal
): Promise<Data> => {
  const displayName = Markdown.bold(name)
  const file = detectFileKind(bytes, name, mimeType)
  if (file.kind === "empty")
    throw new UnreadableData(
      Language.text(
        `${displayName} is empty: there is nothing in it to look at.`,
        `${displayName} 是空的，没有内容可看。`
      )
    )
  if (file.kind === "binary") {
    const size = Markdown.fileSize(bytes.length)
    throw new UnreadableData(
      Language.text(
        `${displayName} is ${file.description}, ${size}. I cannot read binary files; I read CSV, JSON, Markdown and plain text.`,
        `${displayName} 是${file.description}，${size}。我不能读二进制文件；我读 CSV、JSON、Markdown 和纯文本。`
      )
    )
  }
  const table = await readTable(file, name, mimeType, signal)
  return table === undefined
    ? { kind: "prose", name, prose: await readProse(file.text, signal), notes: file.notes }
    : { kind: "table", name, table: { ...table, notes: [...file.notes, ...table.notes] } }
}

/** Reads a file as a table; `undefined` for a text. */
const readTable = async (
  { kind, text }: Extract<FileKind, { readonly text: string }>,
  name: string,
  mimeType: string | undefined,
  signal: AbortSignal
): Promise<Table | undefined> => {
  if (kind === "text") return readMarkdownTable(text, signal)
  if (kind === "table")
    return readCsv(text, signal, /\.(tsv|tab)$/i.test(name) || /tab-separated/.test(mimeType ?? "") ? "\t" : undefined)
  try {
    return await readJson(text, signal)
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    throw new UnreadableData(
      Language.text(
        `${Markdown.bold(name)} is not valid JSON: ${error.message}. Correct it there and send it again.`,
        `${Markdown.bold(name)} 不是有效的 JSON：${error.message}。请在那里改正后再发。`
      )
    )
  }
}
