import { cellText, isMissingAt, labelAt, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as Tables from "../format/Tables.ts"
import type { RowsClause } from "../question/Clause.ts"
import type { ClauseAnswer } from "./ClauseAnswer.ts"
import { countSentence } from "./Figures.ts"

/** Answers with rows as they are or in an order. */
export const answerRows = (table: Table, rows: Rows, { limit = MAX_ROWS, order }: RowsClause): ClauseAnswer => {
  const by = order === undefined ? undefined : table.columns[order.column]
  const ordered = by === undefined ? rows : sorted(rows, by, order?.isDescending === true)
  const shown = ordered.slice(0, Math.min(limit, MAX_LIMIT))
  const sentence =
    by === undefined ? countSentence(table, rows) : orderSentence(by, shown, order?.isDescending === true)
  const missing = by === undefined ? 0 : rows.length - ordered.length
  const none = Language.text(
    `_${Markdown.plural(missing, "row has", "rows have")} no ${Markdown.escapeText(by?.name ?? "")} and ${missing === 1 ? "is" : "are"} left out._`,
    `_${Markdown.integer(missing)} 行没有 ${Markdown.escapeText(by?.name ?? "")}，未列出。_`
  )
  return {
    messages: [sentence, sampleTables(table, shown, ordered.length, by), ...(missing > 0 ? [none] : [])],
    findings: [sentence]
  }
}

const MAX_ROWS = 10
const MAX_LIMIT = 50

/** Rows as Markdown tables, and what is left out of them; in a wide table, the column that orders them comes first. */
export const sampleTables = (table: Table, rows: Rows, total: number, first?: Column): string => {
  const isWide = table.columns.length > 8
  const columns =
    first === undefined || !isWide ? table.columns : [first, ...table.columns.filter((column) => column !== first)]
  const { hidden, tables } = Tables.fit(
    columns.map((column) => ({
      name: column.name,
      cells: [...rows].map((row) => (column.kind === "text" ? labelAt(column, row) : cellText(column, row))),
      isText: column.kind === "text"
    }))
  )
  const more = total - rows.length
  const names = hidden.slice(0, 20).map((name) => Markdown.escapeText(name))
  const list = names.join(Language.text(", ", "、")) + (hidden.length > names.length ? "…" : "")
  const leftOut = [
    ...(more > 0 ? [Language.text(Markdown.plural(more, "more row"), `另外 ${Markdown.integer(more)} 行`)] : []),
    ...(hidden.length > 0
      ? [Language.text(`${Markdown.plural(hidden.length, "column")} (${list})`, `${hidden.length} 列（${list}）`)]
      : [])
  ]
  const note = Language.text(`_Not shown: ${leftOut.join(" and ")}._`, `_未列出：${leftOut.join("和")}。_`)
  return [...tables, ...(leftOut.length > 0 ? [note] : [])].join("\n\n")
}

/** The rows with a value, in its order. */
const sorted = (rows: Rows, by: Column, isDescending: boolean): Rows => {
  const sign = isDescending ? -1 : 1
  return rows
    .filter((row) => !isMissingAt(by, row))
    .sort((a, b) =>
      by.kind === "text"
        ? sign * COLLATOR.compare(labelAt(by, a), labelAt(by, b)) || a - b
        : sign * ((by.values[a] ?? 0) - (by.values[b] ?? 0)) || a - b
    )
}

const COLLATOR = new Intl.Collator("en", { numeric: true })

const orderSentence = (by: Column, shown: Rows, isDescending: boolean): string => {
  const name = Markdown.bold(by.name)
  const [first, last] = [shown[0], shown.at(-1)].map((row) => (row === undefined ? "–" : cellText(by, row)))
  const [way, chinese] = isDescending ? ["descending", "降序"] : ["ascending", "升序"]
  return Language.text(
    `${Markdown.plural(shown.length, "row")} by ${name}, ${way}, from ${first} to ${last}:`,
    `按 ${name} ${chinese}的 ${Markdown.integer(shown.length)} 行，从 ${first} 到 ${last}：`
  )
}
