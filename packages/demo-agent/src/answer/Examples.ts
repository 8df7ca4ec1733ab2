import type { Data } from "../data/DataFile.ts"
import * as Markdown from "../format/Markdown.ts"

/** What can be asked about the data, as quoted examples. */
export const examplesFor = (data: Data): ReadonlyArray<string> => {
  if (data.kind === "json") return ["“shape”", "“summarise”"]
  if (data.kind === "prose") {
    const items = data.prose.items.length > 0 ? ["“list the open items”"] : []
    return [...items, "“headings”", "“links”", "“word count”", "“chart the most frequent words”"]
  }
  const { columns } = data.table
  const escapedName = (column: { readonly name: string } | undefined): string | undefined =>
    column === undefined ? undefined : Markdown.escapeText(column.name)
  const number = escapedName(
    columns.find((column) => column.kind === "number") ??
      columns.find((column) => column.kind === "integer" && !column.isIdentifier)
  )
  const date = columns.find((column) => column.kind === "date")
  const categoryColumn = columns.find(
    (column) => "labels" in column && column.labels.length >= 2 && column.labels.length <= 50
  )
  const category = escapedName(categoryColumn)
  const examples: Array<string> = []
  if (categoryColumn !== undefined && "labels" in categoryColumn)
    examples.push(`“only rows where ${category} is ${Markdown.escapeText(categoryColumn.labels[0] ?? "", 30)}”`)
  if (number !== undefined && date !== undefined) examples.push(`“chart ${number} by month”`)
  else if (number !== undefined) examples.push(`“histogram of ${number}”`)
  else if (category !== undefined) examples.push(`“chart ${category}”`)
  if (number !== undefined && category !== undefined) examples.push(`“average ${number} by ${category}”`)
  else if (number !== undefined) examples.push(`“top 10 by ${number}”`)
  examples.push("“now as a table”")
  return examples.slice(0, 3)
}
