import type { Data } from "../data/DataFile.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** What can be asked about the data, as quoted examples. */
export const examplesFor = (data: Data): ReadonlyArray<string> => {
  if (data.kind === "json") return [Language.text("“shape”", "“结构”"), Language.text("“summarise”", "“总结”")]
  if (data.kind === "prose") {
    const items = data.prose.items.length > 0 ? [Language.text("“list the open items”", "“列出未完成的事项”")] : []
    const others = Language.pick({
      english: ["“headings”", "“links”", "“word count”", "“chart the most frequent words”"],
      chinese: ["“标题”", "“链接”", "“字数”", "“画高频词的图”"]
    })
    return [...items, ...others]
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
  if (categoryColumn !== undefined && "labels" in categoryColumn) {
    const label = Markdown.escapeText(categoryColumn.labels[0] ?? "", 30)
    examples.push(Language.text(`“only rows where ${category} is ${label}”`, `“只看 ${category} 为 ${label} 的行”`))
  }
  if (number !== undefined && date !== undefined)
    examples.push(Language.text(`“chart ${number} by month”`, `“按月画 ${number} 的图”`))
  else if (number !== undefined) examples.push(Language.text(`“histogram of ${number}”`, `“${number} 的直方图”`))
  else if (category !== undefined) examples.push(Language.text(`“chart ${category}”`, `“画 ${category} 的图”`))
  if (number !== undefined && category !== undefined)
    examples.push(Language.text(`“average ${number} by ${category}”`, `“按 ${category} 统计平均 ${number}”`))
  else if (number !== undefined) examples.push(Language.text(`“top 10 by ${number}”`, `“${number} 最高的 10 行”`))
  examples.push(Language.text("“now as a table”", "“改成表格”"))
  return examples.slice(0, 3)
}
