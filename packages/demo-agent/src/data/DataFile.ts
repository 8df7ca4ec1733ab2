import { readCsv } from "./Csv.ts"
import * as Markdown from "../format/Markdown.ts"
import { detectFileKind } from "./FileKind.ts"
import { InvalidJson, readJson, type JsonData } from "./Json.ts"
import { MAX_MARKDOWN } from "./MarkdownStructure.ts"
import { readProse, type Prose } from "./Prose.ts"
import type { Table } from "./Table.ts"
import { UnreadableData } from "./UnreadableData.ts"

/** Data that was read and measured. */
export type Data =
  | { readonly kind: "table"; readonly name: string; readonly table: Table; readonly json?: JsonData | undefined }
  | { readonly kind: "json"; readonly name: string; readonly json: JsonData; readonly notes: ReadonlyArray<string> }
  | {
      readonly kind: "prose"
      readonly name: string
      readonly prose: Prose
      readonly markdown: boolean
      readonly notes: ReadonlyArray<string>
    }

/** Reads data of any kind; fails with {@link UnreadableData}, whose message says what is the matter. */
export const readData = async (
  bytes: Uint8Array,
  name: string,
  mimeType: string | undefined,
  signal: AbortSignal
): Promise<Data> => {
  const shown = Markdown.bold(name)
  const found = detectFileKind(bytes, name, mimeType)
  if (found.kind === "empty") throw new UnreadableData(`${shown} is empty: there is nothing in it to look at.`)
  if (found.kind === "binary") {
    throw new UnreadableData(
      `${shown} is ${found.what}, ${Markdown.size(found.size)}. I cannot read binary files; I read CSV, JSON, Markdown and plain text.`
    )
  }
  if (found.kind === "table") {
    const delimiter = /\.(tsv|tab)$/i.test(name) || /tab-separated/.test(mimeType ?? "") ? "\t" : undefined
    const table = await readCsv(found.utf8, name, signal, delimiter)
    return { kind: "table", name, table: { ...table, notes: [...found.notes, ...table.notes] } }
  }
  const text = new TextDecoder().decode(found.utf8)
  if (found.kind === "json" || found.kind === "json-lines") {
    try {
      const json = await readJson(text, name, found.kind === "json-lines", signal)
      return json.table === undefined
        ? { kind: "json", name, json, notes: found.notes }
        : { kind: "table", name, table: { ...json.table, notes: [...found.notes, ...json.table.notes] }, json }
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error
      throw new UnreadableData(
        `${shown} is not valid JSON: ${Markdown.cell(error.message, 200)}. Correct it there and send it again.`
      )
    }
  }
  const markdown = found.kind === "markdown" && text.length <= MAX_MARKDOWN
  const notes =
    found.kind === "markdown" && !markdown
      ? ["This Markdown is too long to read its outline, so I read it as plain text."]
      : []
  return {
    kind: "prose",
    name,
    prose: await readProse(text, markdown, signal),
    markdown,
    notes: [...found.notes, ...notes]
  }
}
