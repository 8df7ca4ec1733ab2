import { amountsOf, hasMixedUnits } from "../data/Amounts.ts"
import type { Data } from "../data/DataFile.ts"
import { applyFilters, type Filter } from "../data/Filter.ts"
import { isDate, isLabel, isNumber, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** What can be asked about the data, or about the rows that the filters leave, as quoted examples. */
export const examplesFor = (data: Data, filters: ReadonlyArray<Filter>): ReadonlyArray<string> => {
  if (data.kind === "json") return [Language.text("“shape”", "“结构”"), Language.text("“summarise”", "“总结”")]
  if (data.kind === "prose") {
    const items = data.prose.items.length > 0 ? [Language.text("“list the open items”", "“列出未完成的事项”")] : []
    const others = Language.pick({
      english: ["“headings”", "“links”", "“word count”", "“chart the most frequent words”"],
      chinese: ["“标题”", "“链接”", "“字数”", "“画高频词的图”"]
    })
    return [...items, ...others]
  }
  return tableExamples(data.table, applyFilters(data.table, filters)).slice(0, 3)
}

const tableExamples = (table: Table, rows: Rows): ReadonlyArray<string> => {
  const { columns } = table
  const escapedName = (column: Column | undefined): string | undefined =>
    column === undefined ? undefined : Markdown.escapeText(column.name)
  const mixed = escapedName(columns.find((column) => amountsOf(column, rows) !== undefined))
  const numbers = columns.filter(isNumber).filter((each) => !each.isIdentifier && amountsOf(each, rows) === undefined)
  const number = escapedName(numbers.find(({ kind }) => kind === "number") ?? numbers[0])
  const date = columns.find(isDate)
  const words = columns
    .filter(isLabel)
    .filter((each) => !hasMixedUnits(each) && each.labels.length >= 2 && each.labels.length <= 50)
  const categoryColumn = words.find(({ labels }) => labels.length < table.rowCount) ?? words[0]
  const category = escapedName(categoryColumn)
  const label = categoryColumn?.labels.find((each) => each.length <= 30)
  const examples: Array<string> = []
  if (label !== undefined) {
    const value = Markdown.escapeText(/^[\p{L}\p{N}._-]+$/u.test(label) ? label : `"${label}"`)
    examples.push(Language.text(`“only rows where ${category} is ${value}”`, `“只看 ${category} 为 ${value} 的行”`))
  }
  if (number !== undefined && date !== undefined)
    examples.push(Language.text(`“chart ${number} by month”`, `“按月画 ${number} 的图”`))
  else if (number !== undefined) examples.push(Language.text(`“histogram of ${number}”`, `“${number} 的直方图”`))
  else if (category !== undefined) examples.push(Language.text(`“chart ${category}”`, `“画 ${category} 的图”`))
  const measured = mixed ?? number
  if (measured !== undefined && category !== undefined)
    examples.push(Language.text(`“average ${measured} by ${category}”`, `“按 ${category} 统计平均 ${measured}”`))
  else if (number !== undefined) examples.push(Language.text(`“top 10 by ${number}”`, `“${number} 最高的 10 行”`))
  return [...examples, Language.text("“now as a table”", "“改成表格”")]
}
