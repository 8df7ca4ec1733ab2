import { readCsv } from "./Csv.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { detectFileKind } from "./FileKind.ts"
import { InvalidJson, readJson, type JsonData } from "./Json.ts"
import { MAX_MARKDOWN_LENGTH } from "./MarkdownStructure.ts"
import { readProse, type Prose } from "./Prose.ts"
import type { Table } from "./Table.ts"
import { UnreadableData } from "./UnreadableData.ts"

/** Data with its parsed content. */
export type Data =
  | { readonly kind: "table"; readonly name: string; readonly table: Table; readonly json?: JsonData | undefined }
  | { readonly kind: "json"; readonly name: string; readonly json: JsonData; readonly notes: ReadonlyArray<string> }
  | {
      readonly kind: "prose"
      readonly name: string
      readonly prose: Prose
      readonly isMarkdown: boolean
      readonly notes: ReadonlyArray<string>
    }

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
    throw new UnreadableData(
      Language.text(
        `${displayName} is ${file.description}, ${Markdown.fileSize(file.size)}. I cannot read binary files; I read CSV, JSON, Markdown and plain text.`,
        `${displayName} 是${file.description}，${Markdown.fileSize(file.size)}。我不能读二进制文件；我读 CSV、JSON、Markdown 和纯文本。`
      )
    )
  }
  if (file.kind === "table") {
    const delimiter = /\.(tsv|tab)$/i.test(name) || /tab-separated/.test(mimeType ?? "") ? "\t" : undefined
    const table = await readCsv(file.utf8, name, signal, delimiter)
    return { kind: "table", name, table: { ...table, notes: [...file.notes, ...table.notes] } }
  }
  const text = new TextDecoder().decode(file.utf8)
  if (file.kind === "json" || file.kind === "json-lines") {
    try {
      const json = await readJson(text, name, file.kind === "json-lines", signal)
      return json.table === undefined
        ? { kind: "json", name, json, notes: file.notes }
        : { kind: "table", name, table: { ...json.table, notes: [...file.notes, ...json.table.notes] }, json }
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error
      throw new UnreadableData(
        Language.text(
          `${displayName} is not valid JSON: ${Markdown.escapeText(error.message, 200)}. Correct it there and send it again.`,
          `${displayName} 不是有效的 JSON：${Markdown.escapeText(error.message, 200)}。请在那里改正后再发。`
        )
      )
    }
  }
  const isMarkdown = file.kind === "markdown" && text.length <= MAX_MARKDOWN_LENGTH
  const notes =
    file.kind === "markdown" && !isMarkdown
      ? [
          Language.text(
            "This Markdown is too long to read its outline, so I read it as plain text.",
            "这个 Markdown 太长，无法读取大纲，所以我按纯文本读取。"
          )
        ]
      : []
  return {
    kind: "prose",
    name,
    prose: await readProse(text, isMarkdown, signal),
    isMarkdown,
    notes: [...file.notes, ...notes]
  }
}
