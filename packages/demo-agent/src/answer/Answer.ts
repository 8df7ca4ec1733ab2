import { drawClause } from "./ChartAnswer.ts"
import type { Chart } from "../chart/Chart.ts"
import { rowsWhere, type Condition } from "../data/Condition.ts"
import type { Data } from "../data/DataFile.ts"
import { allRows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Clause } from "../question/Clause.ts"
import { operatorText } from "../question/RequestText.ts"
import type { ClauseAnswer } from "./ClauseAnswer.ts"
import { answerFigures, answerWhich } from "./Figures.ts"
import { reportOnText } from "./TextReport.ts"
import { answerRows } from "./RowsAnswer.ts"
import { columnNote, reportOn } from "./TableReport.ts"

/** The answer to a request, before anything is sent or written. */
export interface Answer {
  /** Messages in Markdown, in order. */
  readonly messages: ReadonlyArray<string>
  /** What the last answer is based on. */
  readonly summary: string
  /** The findings in a few sentences, for a reader who does not want the whole answer. */
  readonly findings: ReadonlyArray<string>
  readonly charts: ReadonlyArray<Chart>
}

/** Answers the clauses of a request, each for the rows that meet its condition. */
export const answerClauses = (data: Data, clauses: ReadonlyArray<Clause>): Answer => {
  if (data.kind === "prose") return { ...reportOnText(data), charts: [] }
  const answers = clauses.map((clause) => answerClause(data.table, data.name, clause))
  const scopes = clauses.map(({ where }) => scopeOf(data.table, data.name, where))
  return {
    messages: answers.flatMap(({ messages }, at) => [
      ...messages,
      ...(at < answers.length - 1 && scopes[at] !== scopes[at + 1] ? [scopes[at] ?? ""] : [])
    ]),
    summary: [scopes.at(-1), ...data.table.leftOut].join(Language.text(" ", "")),
    findings: answers.flatMap(({ findings }) => findings),
    charts: answers.flatMap(({ charts }) => charts ?? [])
  }
}

const answerClause = (table: Table, name: string, clause: Clause): ClauseAnswer => {
  const rows = rowsWhere(table, clause.where)
  if (clause.kind === "report") return reportOn(table, name, allRows(table))
  const isCount = clause.kind !== "rows" && clause.measure === "count" && clause.kind === "figures"
  if (rows.length === 0 && !isCount) {
    const none =
      table.rowCount === 0
        ? Language.text("There are no rows.", "没有行。")
        : Language.text("No row fits the condition.", "没有符合条件的行。")
    return { messages: [none], findings: [none] }
  }
  const notes = readingNotes(table, clause)
  const answer =
    clause.kind === "rows"
      ? answerRows(table, rows, clause)
      : clause.kind === "which"
        ? answerWhich(table, rows, clause)
        : clause.kind === "chart"
          ? drawClause(table, rows, clause, conditionText(table, clause.where))
          : answerFigures(table, rows, clause)
  return { ...answer, messages: [...answer.messages, ...notes], findings: [...answer.findings, ...notes] }
}

/** How the values of the columns in a clause were read, where a reader should know. */
const readingNotes = (table: Table, clause: Clause): ReadonlyArray<string> => {
  const used = [
    clause.where?.column,
    ...("columns" in clause ? clause.columns : []),
    ...("by" in clause ? [clause.by?.column] : []),
    ...(clause.kind === "which" ? [clause.column, clause.group] : []),
    ...(clause.kind === "rows" ? [clause.order?.column] : [])
  ]
  return table.columns
    .filter((_, index) => used.includes(index))
    .flatMap((column) => column.notes.map((note) => columnNote(column.name, note)))
}

/** A condition in words, escaped; "" for none. */
const conditionText = (table: Table, where: Condition | undefined): string =>
  where === undefined
    ? ""
    : `${Markdown.escapeText(table.columns[where.column]?.name ?? "")} ${operatorText(where.operator).replace("<", "\\<")} ${Markdown.escapeText(where.value)}`

/** Says which rows an answer is based on. */
const scopeOf = (table: Table, fileName: string, where: Condition | undefined): string => {
  const name = Markdown.bold(fileName)
  const all = Markdown.integer(table.rowCount)
  if (where === undefined)
    return table.rowCount === 1
      ? Language.text(`Based on the only row of ${name}.`, `以上基于 ${name} 的唯一一行。`)
      : Language.text(`Based on all ${all} rows of ${name}.`, `以上基于 ${name} 的全部 ${all} 行。`)
  const count = rowsWhere(table, where).length
  const condition = conditionText(table, where)
  return Language.text(
    `Based on ${Markdown.plural(count, "row")} where ${condition}, of ${all} in ${name}.`,
    `以上基于 ${name} 的 ${all} 行中符合“${condition}”的 ${Markdown.integer(count)} 行。`
  )
}
