import { max, min } from "d3-array"
import { drawClause } from "./ChartAnswer.ts"
import { mixedUnits } from "../data/Condition.ts"
import { isMissingAt, presentValues, valueText, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as Tables from "../format/Tables.ts"
import { resolve } from "../question/Resolve.ts"
import type { ClauseAnswer } from "./ClauseAnswer.ts"
import { sampleTables } from "./RowsAnswer.ts"

/** Reports on a table: its columns, what deserves attention, example rows and a chart. */
export const reportOn = (table: Table, name: string, rows: Rows): ClauseAnswer => {
  const size = Language.text(
    `${Markdown.bold(name)} has ${Markdown.plural(table.rowCount, "row")} and ${Markdown.plural(table.columns.length, "column")}.`,
    `${Markdown.bold(name)} 有 ${Markdown.integer(table.rowCount)} 行 ${Markdown.integer(table.columns.length)} 列。`
  )
  // JSON whose values are all too deep.
  if (table.columns.length === 0) {
    const none = Language.text(
      `There is nothing in ${Markdown.bold(name)} that I can show.`,
      `${Markdown.bold(name)} 里没有我能显示的内容。`
    )
    return { messages: [none], findings: [none] }
  }
  const notes = [
    ...table.notes,
    ...table.columns.flatMap(({ name: of, notes: each }) => each.map((note) => columnNote(of, note)))
  ]
  const lines = notes.slice(0, MAX_NOTES).map((note) => `- ${note}`)
  const more = notes.length - lines.length
  if (more > 0) lines.push(Language.text(`- _${more} more of this kind_`, `- _同类的另有 ${more} 条_`))
  const plan = resolve({ kind: "chart", columns: [] }, table)
  const drawn =
    "refusal" in plan || plan.kind !== "chart" || rows.length === 0
      ? { messages: ["refusal" in plan ? plan.refusal : ""], findings: [], charts: [] }
      : drawClause(table, rows, plan, "")
  return {
    messages: [
      `${size}\n\n${columnTable(table, rows).join("\n\n")}`,
      rows.length === 0
        ? Language.text("There is a header but no row below it.", "有表头，但下面没有行。")
        : [
            Language.text("The first rows:", "前几行："),
            sampleTables(table, rows.slice(0, 3), Math.min(3, rows.length))
          ].join("\n\n"),
      ...(lines.length > 0 ? [`${Language.text("Worth knowing:", "值得注意：")}\n${lines.join("\n")}`] : []),
      ...drawn.messages.filter((message) => message !== "")
    ],
    findings: [size, ...(lines.length > 0 ? [lines.slice(0, 6).join("\n")] : [])],
    charts: drawn.charts ?? []
  }
}

/** A note on a column as a sentence. */
export const columnNote = (name: string, note: string): string =>
  Language.text(
    `${Markdown.bold(name)}: ${Markdown.escapeQuoted(note)}.`,
    `${Markdown.bold(name)}：${Markdown.escapeQuoted(note)}。`
  )

const MAX_NOTES = 12
const MAX_COLUMNS = 30

/** The columns as a table: type, and range or most frequent values. */
const columnTable = (table: Table, rows: Rows): ReadonlyArray<string> => {
  const shown = table.columns.slice(0, MAX_COLUMNS)
  const { tables } = Tables.fit([
    { name: Language.text("Column", "列"), cells: shown.map(({ name }) => name), isText: true },
    { name: Language.text("Type", "类型"), cells: shown.map(typeName), isText: true },
    {
      name: Language.text("Missing", "缺失"),
      cells: shown.map((column) => Markdown.integer(missingIn(column, rows))),
      isText: false
    },
    { name: Language.text("Values", "值"), cells: shown.map((column) => valuesOf(table, column, rows)), isText: false }
  ])
  const more = table.columns.length - shown.length
  return [
    ...tables,
    ...(more > 0
      ? [Language.text(`_${Markdown.plural(more, "more column")} left out here._`, `_这里另有 ${more} 列未列出。_`)]
      : [])
  ]
}

const missingIn = (column: Column, rows: Rows): number => rows.filter((row) => isMissingAt(column, row)).length

const typeName = (column: Column): string =>
  ({
    text: Language.text("text", "文字"),
    number: Language.text("number", "数字"),
    date: Language.text("date", "日期")
  })[column.kind]

/** The range of numbers and dates, or the most frequent words. */
const valuesOf = (table: Table, column: Column, rows: Rows): string => {
  if (missingIn(column, rows) === rows.length) return "–"
  if (column.kind !== "text") {
    const mixture = column.kind === "number" ? mixedUnits(table, rows, column) : undefined
    if (mixture !== undefined) {
      const name = Markdown.escapeText(table.columns[mixture.column]?.name ?? "", 24)
      return Language.text(`see ${name}`, `见 ${name}`)
    }
    const values = presentValues(column, rows)
    return [min(values), max(values)]
      .map((value) => valueText(column, value ?? Number.NaN))
      .join(Language.text(" to ", " 到 "))
  }
  const times = new Uint32Array(column.labels.length + 1)
  for (const row of rows) times[column.codes[row] ?? 0] = (times[column.codes[row] ?? 0] ?? 0) + 1
  const labels = column.labels
    .map((label, i) => [label, times[i + 1] ?? 0] as const)
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  if (labels[0]?.[1] === 1 && labels.length > 5) return Language.text("all different", "各不相同")
  const shown = labels
    .slice(0, 3)
    .map(([label, count]) => `${Markdown.escapeText(label, 12)} (${Markdown.integer(count)})`)
  return shown.join(", ") + (labels.length > shown.length ? ", …" : "")
}
