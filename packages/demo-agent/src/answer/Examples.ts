import { amountsOf } from "../data/Amounts.ts"
import type { Data } from "../data/DataFile.ts"
import { applyFilters, type Filter } from "../data/Filter.ts"
import { mainColumns } from "../chart/MainColumns.ts"
import { isLabel, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Subject } from "../question/Intent.ts"
import { parseRequest } from "../question/RequestParser.ts"
import { subjectOf } from "./Analysis.ts"

/** What can be asked about the data, or about the rows that the filters leave, as quoted examples that are understood. */
export const examplesFor = (data: Data, filters: ReadonlyArray<Filter>): ReadonlyArray<string> => {
  const subject = subjectOf(data)
  const examples = data.kind === "table" ? tableExamples(data.table, filters) : textExamples(data)
  return examples
    .filter((example) => parseRequest(example, subject).kind === "parts")
    .slice(0, MAX_EXAMPLES)
    .map((example) => `“${Markdown.escapeText(example, 200)}”`)
}

const MAX_EXAMPLES = 4

const textExamples = (data: Exclude<Data, { readonly kind: "table" }>): ReadonlyArray<string> => {
  if (data.kind === "json") return [Language.text("shape", "结构"), Language.text("summarise", "总结")]
  const items = data.prose.items.length > 0 ? [Language.text("list the open items", "列出未完成的事项")] : []
  return [
    ...items,
    ...Language.pick({
      english: ["headings", "links", "word count", "chart the most frequent words"],
      chinese: ["标题", "链接", "字数", "画高频词的图"]
    })
  ]
}

const tableExamples = (table: Table, filters: ReadonlyArray<Filter>): ReadonlyArray<string> => {
  const rows = applyFilters(table, filters)
  const main = mainColumns(table, rows)
  const nameOf = (index: number | undefined): string | undefined =>
    index === undefined ? undefined : quoted(table, index)
  const [number, date, category] = [nameOf(main.number), nameOf(main.date), nameOf(main.category)]
  const mixedIndex = table.columns.findIndex((column) => amountsOf(column, rows) !== undefined)
  const measured = nameOf(mixedIndex < 0 ? undefined : mixedIndex) ?? number
  const column = main.category === undefined ? undefined : table.columns[main.category]
  const label =
    column !== undefined && isLabel(column)
      ? column.labels.find((each) => each.length <= 30 && !each.includes('"'))
      : undefined
  const examples: Array<string> = []
  if (label !== undefined && filters.length === 0) {
    const value = /^[\p{L}\p{N}]+$/u.test(label) ? label : `"${label}"`
    examples.push(Language.text(`only rows where ${category} is ${value}`, `只看 ${category} 为 ${value} 的行`))
  }
  if (number !== undefined && date !== undefined) {
    const isOnlyDate = table.columns.filter(({ kind }) => kind === "date").length === 1
    examples.push(
      isOnlyDate
        ? Language.text(`chart ${number} by month`, `按月画 ${number} 的图`)
        : Language.text(`chart ${number} by month of ${date}`, `按 ${date} 画 ${number} 的图`)
    )
  } else if (number !== undefined) examples.push(Language.text(`histogram of ${number}`, `${number} 的直方图`))
  else if (category !== undefined) examples.push(Language.text(`chart ${category}`, `画 ${category} 的图`))
  if (measured !== undefined && category !== undefined)
    examples.push(Language.text(`average ${measured} by ${category}`, `按 ${category} 统计平均 ${measured}`))
  else if (number !== undefined) examples.push(Language.text(`top 10 by ${number}`, `${number} 最高的 10 行`))
  return [...examples, Language.text("now as a table", "改成表格")]
}

/** The name of a column, in quotes where it could be read as other words. */
const quoted = (table: Table, index: number): string => {
  const name = table.columns[index]?.name ?? ""
  const subject: Subject = { kind: "table", name: "", table, isFromJson: false }
  const plain = parseRequest(name, subject)
  const isPlain =
    plain.kind === "parts" &&
    plain.parts.length === 1 &&
    plain.parts[0]?.intent.kind === "describe" &&
    plain.parts[0].intent.column === index
  return isPlain && /^[\p{L}\p{N}_ -]+$/u.test(name) ? name : `"${name}"`
}
