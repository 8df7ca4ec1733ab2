import { readCsv } from "./Csv.ts"
import { BrokenJson, readJson, type JsonData } from "./JsonData.ts"
import * as Markdown from "./Markdown.ts"
import { readProse, type Prose } from "./Prose.ts"
import { recognise } from "./Recognise.ts"
import type { Subject } from "./Request.ts"
import type { Table } from "./Table.ts"
import { Unreadable } from "./Workspace.ts"

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

/** Reads data of any kind; fails with {@link Unreadable}, whose message says what is the matter. */
export const readData = async (
  bytes: Uint8Array,
  name: string,
  mimeType: string | undefined,
  signal: AbortSignal
): Promise<Data> => {
  const shown = Markdown.bold(name)
  const found = recognise(bytes, name, mimeType)
  if (found.kind === "empty") throw new Unreadable(`${shown} is empty: there is nothing in it to look at.`)
  if (found.kind === "binary") {
    throw new Unreadable(
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
      if (!(error instanceof BrokenJson)) throw error
      throw new Unreadable(
        `${shown} is not valid JSON: ${Markdown.cell(error.message, 200)}. Correct it there and send it again.`
      )
    }
  }
  const markdown = found.kind === "markdown"
  return { kind: "prose", name, prose: await readProse(text, markdown, signal), markdown, notes: found.notes }
}

/** The data as what a request can be about. */
export const subjectOf = (data: Data): Subject =>
  data.kind === "table" ? { kind: "table", table: data.table, json: data.json !== undefined } : { kind: data.kind }

/** What can be asked about the data, as quoted examples. */
export const examplesFor = (data: Data): ReadonlyArray<string> => {
  if (data.kind === "json") return ["“shape”", "“summarise”"]
  if (data.kind === "prose") {
    const items = data.prose.items.length > 0 ? ["“list the open items”"] : []
    return [...items, "“headings”", "“links”", "“word count”", "“chart the most frequent words”"]
  }
  const { columns } = data.table
  const named = (column: { readonly name: string } | undefined): string | undefined =>
    column === undefined ? undefined : Markdown.cell(column.name)
  const number = named(
    columns.find((column) => column.kind === "number") ?? columns.find((column) => column.kind === "integer")
  )
  const date = columns.find((column) => column.kind === "date")
  const words = columns.find((column) => "labels" in column && column.labels.length >= 2 && column.labels.length <= 50)
  const category = named(words)
  const examples: Array<string> = []
  if (words !== undefined && "labels" in words)
    examples.push(`“only rows where ${category} is ${Markdown.cell(words.labels[0] ?? "", 30)}”`)
  if (number !== undefined && date !== undefined) examples.push(`“chart ${number} by month”`)
  else if (number !== undefined) examples.push(`“histogram of ${number}”`)
  else if (category !== undefined) examples.push(`“chart ${category}”`)
  if (number !== undefined && category !== undefined) examples.push(`“average ${number} by ${category}”`)
  else if (number !== undefined) examples.push(`“top 10 by ${number}”`)
  examples.push("“now as a table”")
  return examples.slice(0, 3)
}
