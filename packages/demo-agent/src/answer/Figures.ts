import { figureOf, groupRows, type Measure } from "../data/Groups.ts"
import {
  isMissingAt,
  presentValues,
  valueText,
  type Column,
  type NumberColumn,
  type Rows,
  type Table
} from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as Tables from "../format/Tables.ts"
import { capitalise } from "../format/Words.ts"
import type { Clause, FiguresClause, GroupBy } from "../question/Clause.ts"
import { measureText } from "../question/RequestText.ts"
import type { ClauseAnswer } from "./ClauseAnswer.ts"

/** Answers with one figure for each column, or with a table of those of each group. */
export const answerFigures = (table: Table, rows: Rows, { by, columns, measure }: FiguresClause): ClauseAnswer => {
  const measured = columns.length === 0 ? [undefined] : columns.map((index) => numberColumn(table, index))
  const group = by?.column === undefined ? undefined : table.columns[by.column]
  if (by !== undefined && group !== undefined) return groupedFigures(rows, measure, measured, group, by)
  const sentences = measured.map((column) =>
    column === undefined ? countSentence(table, rows) : figureSentence(rows, measure, column)
  )
  return { messages: [sentences.join(Language.text(" ", ""))], findings: sentences }
}

/** Answers which group has the highest or lowest figure. */
export const answerWhich = (
  table: Table,
  rows: Rows,
  { column, group, isHighest, measure }: Extract<Clause, { readonly kind: "which" }>
): ClauseAnswer => {
  const by = table.columns[group]
  const measured = numberColumn(table, column)
  const groups = by === undefined ? [] : groupRows(rows, by)
  const figures = groups
    .map(({ label, rows: members }) => ({ label, value: figureOf(measure, measured, members) }))
    .filter(({ value }) => !Number.isNaN(value))
  const best = (isHighest ? Math.max : Math.min)(...figures.map(({ value }) => value))
  const winners = figures.filter(({ value }) => value === best).slice(0, 10)
  const names = Markdown.joinWords(winners.map(({ label }) => `**${Markdown.escapeText(label)}**`))
  const [figure, name, groupName] = [figureText(measured, best), figureName(measure, measured), by?.name ?? ""]
  const [most, chinese] = isHighest ? ["highest", "最高"] : ["lowest", "最低"]
  const compared = Markdown.integer(figures.length)
  const message =
    figures.length === 0
      ? Language.text("There are no values to compare.", "没有可以比较的值。")
      : Language.text(
          `${names} ${winners.length === 1 ? "has" : "have"} the ${most} ${name}: ${figure}. I compared ${compared} values of ${Markdown.bold(groupName)}.`,
          `${name} ${chinese}的 ${Markdown.bold(groupName)} 是${names}：${figure}。比较了 ${compared} 个 ${Markdown.bold(groupName)}。`
        )
  return { messages: [message], findings: [message] }
}

/** The name of a figure, such as "total **price**"; the number of rows without a column. */
export const figureName = (measure: Measure, column: NumberColumn | undefined): string =>
  column === undefined
    ? Language.text("number of rows", "行数")
    : `${measureText(measure)} ${Markdown.bold(column.name)}`

/** What rows are grouped by: the step for dates, else the column. */
export const groupName = (by: GroupBy, column: Column): string =>
  by.step === undefined ? column.name : by.step === "month" ? Language.text("month", "月") : Language.text("year", "年")

/** Says that rows have no value in a column; nothing where all have one. */
export const missingNotes = (rows: Rows, column: Column | undefined): ReadonlyArray<string> => {
  const missing = column === undefined ? 0 : rows.filter((row) => isMissingAt(column, row)).length
  const name = Markdown.escapeText(column?.name ?? "")
  return missing === 0
    ? []
    : [
        Language.text(
          `${Markdown.plural(missing, "row has", "rows have")} no ${name} and ${missing === 1 ? "does" : "do"} not count.`,
          `${Markdown.integer(missing)} 行没有 ${name}，不计入。`
        )
      ]
}

/** The first figures of groups in a sentence. */
export const groupsSentence = (
  groups: ReadonlyArray<{ readonly label: string; readonly value: number }>,
  measure: Measure,
  column: NumberColumn | undefined,
  by: string
): string => {
  const shown = groups
    .slice(0, 5)
    .map(({ label, value }) => `${Markdown.escapeText(label)} ${figureText(column, value)}`)
  const list = [...shown, ...(groups.length > shown.length ? ["…"] : [])]
  const name = figureName(measure, column)
  return Language.text(
    `The ${name} by ${Markdown.bold(by)}: ${list.join("; ")}.`,
    `按 ${Markdown.bold(by)} 的${name}：${list.join("；")}。`
  )
}

/** Says how many rows there are, and how many of them meet the condition. */
export const countSentence = (table: Table, rows: Rows): string => {
  const [count, all] = [Markdown.integer(rows.length), Markdown.integer(table.rowCount)]
  const isOne = rows.length === 1
  return rows.length === table.rowCount
    ? Language.text(`There ${isOne ? "is" : "are"} ${Markdown.plural(rows.length, "row")}.`, `共 ${all} 行。`)
    : Language.text(`${count} of ${all} rows ${isOne ? "fits" : "fit"}.`, `${all} 行中有 ${count} 行符合。`)
}

const numberColumn = (table: Table, index: number | undefined): NumberColumn | undefined => {
  const column = table.columns[index ?? -1]
  return column?.kind === "number" ? column : undefined
}

const figureText = (column: NumberColumn | undefined, value: number): string =>
  column === undefined ? Markdown.integer(value) : valueText(column, value)

const figureSentence = (rows: Rows, measure: Measure, column: NumberColumn): string => {
  const present = presentValues(column, rows).length
  const name = figureName(measure, column)
  if (present === 0) return Language.text(`There is no ${name} in these rows.`, `这些行里没有${name}。`)
  const figure = figureText(column, figureOf(measure, column, rows))
  const sentence = Language.text(
    `The ${name} is **${figure}** (over ${Markdown.plural(present, "value")}).`,
    `${name} 是 **${figure}**（共 ${Markdown.integer(present)} 个值）。`
  )
  return [sentence, ...missingNotes(rows, column)].join(Language.text(" ", ""))
}

const MAX_GROUPS = 30

const groupedFigures = (
  rows: Rows,
  measure: Measure,
  columns: ReadonlyArray<NumberColumn | undefined>,
  by: Column,
  how: GroupBy
): ClauseAnswer => {
  const groups = groupRows(rows, by, how.step)
  const shown = groups.slice(0, MAX_GROUPS)
  const title = groupName(how, by)
  const figuresOf = (column: NumberColumn | undefined) =>
    shown.map(({ label, rows: members }) => ({ label, value: figureOf(measure, column, members) }))
  const { hidden, tables } = Tables.fit([
    { name: title, cells: shown.map(({ label }) => label), isText: true },
    ...columns.map((column) => ({
      name: capitalise(column === undefined ? figureName(measure, column) : `${measureText(measure)} ${column.name}`),
      cells: figuresOf(column).map(({ value }) => figureText(column, value)),
      isText: false
    }))
  ])
  const more = groups.length - shown.length
  const unseen = hidden.map((name) => Markdown.escapeText(name)).join(", ")
  const notes = [
    ...(hidden.length > 0 ? [Language.text(`Not shown: ${unseen}.`, `未列出：${unseen}。`)] : []),
    ...(more > 0 ? [Language.text(`${Markdown.plural(more, "more group")} left out.`, `另有 ${more} 组未列出。`)] : []),
    ...[by, ...columns].flatMap((column) => missingNotes(rows, column))
  ]
  const names = Markdown.joinWords(columns.map((column) => figureName(measure, column)))
  const opening = Language.text(`The ${names} by ${Markdown.bold(title)}:`, `按 ${Markdown.bold(title)} 的${names}：`)
  return {
    messages: [[opening, ...tables, ...notes.map((note) => `_${note}_`)].join("\n\n")],
    findings: columns.map((column) => groupsSentence(figuresOf(column), measure, column, title))
  }
}
