import { figureOf, groupRows, type Group, type Measure } from "../data/Groups.ts"
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
  const measured = numbersOf(table, columns)
  const group = by?.column === undefined ? undefined : table.columns[by.column]
  if (by !== undefined && group !== undefined) return groupedFigures(rows, measure, measured, group, by)
  const messages =
    measured.length === 0
      ? [countSentence(table, rows)]
      : measured.map((column) => figureSentence(rows, measure, column))
  return { messages: [messages.join(Language.text(" ", ""))], findings: messages }
}

/** Answers which group has the highest or lowest figure. */
export const answerWhich = (
  table: Table,
  rows: Rows,
  { column, group, isHighest, measure }: Extract<Clause, { readonly kind: "which" }>
): ClauseAnswer => {
  const by = table.columns[group]
  const [measured] = column === undefined ? [] : numbersOf(table, [column])
  if (by === undefined) return { messages: [], findings: [] }
  const groups = groupRows(rows, by).map((each) => ({ ...each, value: figureOf(measure, measured, each.rows) }))
  const values = groups.map(({ value }) => value).filter((value) => !Number.isNaN(value))
  const best = isHighest ? Math.max(...values) : Math.min(...values)
  const winners = groups.filter(({ value }) => value === best).slice(0, 10)
  const names = Markdown.joinWords(winners.map(({ label }) => `**${Markdown.escapeText(label)}**`))
  const [figure, name, count] = [figureText(measured, best), figureName(measure, measured), groups.length]
  const [most, chinese] = isHighest ? ["highest", "最高"] : ["lowest", "最低"]
  const groupName = Markdown.bold(by.name)
  const message =
    values.length === 0
      ? Language.text("There are no values to compare.", "没有可以比较的值。")
      : Language.text(
          `${names} ${winners.length === 1 ? "has" : "have"} the ${most} ${name}: ${figure}. I compared the ${name} of ${Markdown.plural(count, "value")} of ${groupName}.`,
          `${name}${chinese}的 ${groupName} 是 ${names}：${figure}。比较的是 ${Markdown.integer(count)} 个 ${groupName} 的${name}。`
        )
  return { messages: [message], findings: [message] }
}

/** The name of a figure, such as "total **price**"; the number of rows without a column. */
export const figureName = (measure: Measure, column: NumberColumn | undefined): string =>
  column === undefined || measure === "count"
    ? Language.text("number of rows", "行数")
    : Language.text(
        `${measureText(measure)} ${Markdown.bold(column.name)}`,
        `${measureText(measure)} ${Markdown.bold(column.name)}`
      )

/** What rows are grouped by: the step for dates, else the column. */
export const groupName = (by: GroupBy, column: Column): string =>
  by.step === undefined ? column.name : by.step === "month" ? Language.text("month", "月") : Language.text("year", "年")

/** Says that rows have no group. */
export const groupNotes = (rows: Rows, by: Column, verb: string, chinese: string): ReadonlyArray<string> => {
  const without = rows.filter((row) => isMissingAt(by, row)).length
  return without === 0
    ? []
    : [
        Language.text(
          `_${Markdown.plural(without, "row has", "rows have")} no ${Markdown.escapeText(by.name)} and ${without === 1 ? "is" : "are"} ${verb}._`,
          `_${Markdown.integer(without)} 行没有 ${Markdown.escapeText(by.name)}，${chinese}。_`
        )
      ]
}

/** Where the figure of groups is highest and lowest, in a sentence. */
export const extremesSentence = (
  groups: ReadonlyArray<Group>,
  measure: Measure,
  column: NumberColumn | undefined,
  by: string
): string => {
  const figures = groups
    .map(({ label, rows }) => ({ label: Markdown.escapeText(label), value: figureOf(measure, column, rows) }))
    .filter(({ value }) => !Number.isNaN(value))
    .toSorted((a, b) => b.value - a.value)
  const [high, low, name] = [figures[0], figures.at(-1), figureName(measure, column)]
  const opening = Language.text(`The ${name} by ${Markdown.bold(by)}`, `按 ${Markdown.bold(by)} 的${name}`)
  if (high === undefined || low === undefined) return Language.text(`${opening} has no values.`, `${opening}没有值。`)
  const [highest, lowest] = [figureText(column, high.value), figureText(column, low.value)]
  if (figures.length === 1)
    return Language.text(
      `${opening} is ${highest} for ${high.label}, the only one.`,
      `${opening}：只有 ${high.label}（${highest}）。`
    )
  return high.value === low.value
    ? Language.text(
        `${opening} is ${highest} for each of the ${figures.length}.`,
        `${opening}：${figures.length} 组都是 ${highest}。`
      )
    : Language.text(
        `${opening} is highest for ${high.label} (${highest}) and lowest for ${low.label} (${lowest}).`,
        `${opening}：最高的是 ${high.label}（${highest}），最低的是 ${low.label}（${lowest}）。`
      )
}

/** Says how many rows there are, and how many of them meet the condition. */
export const countSentence = (table: Table, rows: Rows): string => {
  const all = Markdown.integer(table.rowCount)
  if (rows.length === table.rowCount)
    return Language.text(
      `There ${rows.length === 1 ? "is" : "are"} ${Markdown.plural(rows.length, "row")}.`,
      `共 ${all} 行。`
    )
  return Language.text(
    `${Markdown.integer(rows.length)} of ${all} rows ${rows.length === 1 ? "fits" : "fit"}.`,
    `${all} 行中有 ${Markdown.integer(rows.length)} 行符合。`
  )
}

const numbersOf = (table: Table, columns: ReadonlyArray<number>): ReadonlyArray<NumberColumn> =>
  columns.flatMap((index) => {
    const column = table.columns[index]
    return column?.kind === "number" ? [column] : []
  })

const figureText = (column: NumberColumn | undefined, value: number): string =>
  column === undefined ? Markdown.integer(value) : valueText(column, value)

const figureSentence = (rows: Rows, measure: Measure, column: NumberColumn): string => {
  const present = presentValues(column, rows).length
  const missing = rows.length - present
  const name = figureName(measure, column)
  if (present === 0) return Language.text(`There is no ${name} in these rows.`, `这些行里没有${name}。`)
  const figure = figureText(column, figureOf(measure, column, rows))
  const [note, chinese] =
    missing === 0
      ? ["", ""]
      : [`; ${Markdown.plural(missing, "row has", "rows have")} none`, `；${Markdown.integer(missing)} 行没有值`]
  return Language.text(
    `The ${name} is **${figure}** (over ${Markdown.plural(present, "value")}${note}).`,
    `${name} 是 **${figure}**（共 ${Markdown.integer(present)} 个值${chinese}）。`
  )
}

const MAX_GROUPS = 30

const groupedFigures = (
  rows: Rows,
  measure: Measure,
  columns: ReadonlyArray<NumberColumn>,
  by: Column,
  how: GroupBy
): ClauseAnswer => {
  const groups = groupRows(rows, by, how.step)
  const title = groupName(how, by)
  const figures = columns.length === 0 ? [undefined] : columns
  const sentences = figures.map((column) => extremesSentence(groups, measure, column, title))
  const shown = groups.slice(0, MAX_GROUPS)
  const blocks = Tables.fit([
    { name: title, cells: shown.map(({ label }) => label), isText: true },
    ...figures.map((column) => ({
      name: capitalise(figureName(measure, column).replace(/\*\*/g, "").replaceAll("\\", "")),
      cells: shown.map((group) => figureText(column, figureOf(measure, column, group.rows))),
      isText: false
    })),
    ...(columns.length === 0
      ? []
      : [
          {
            name: Language.text("Rows", "行数"),
            cells: shown.map((group) => Markdown.integer(group.rows.length)),
            isText: false
          }
        ])
  ])
  const more = groups.length - shown.length
  const notes = [
    ...(more > 0
      ? [
          Language.text(
            `_${Markdown.plural(more, "more group")} left out._`,
            `_另有 ${Markdown.integer(more)} 组未列出。_`
          )
        ]
      : []),
    ...groupNotes(rows, by, "not in the table", "不在表中"),
    ...columns.flatMap((column) => missingNotes(rows, column))
  ]
  return {
    messages: [sentences.join(Language.text(" ", "")), [...blocks.tables, ...notes].join("\n\n")],
    findings: sentences
  }
}

const missingNotes = (rows: Rows, column: NumberColumn): ReadonlyArray<string> => {
  const missing = rows.length - presentValues(column, rows).length
  return missing === 0
    ? []
    : [
        Language.text(
          `_${Markdown.plural(missing, "row has", "rows have")} no ${Markdown.escapeText(column.name)}._`,
          `_${Markdown.integer(missing)} 行没有 ${Markdown.escapeText(column.name)}。_`
        )
      ]
}
