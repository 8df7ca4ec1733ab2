import { isComparable, mixedUnits, rowsWhere } from "../data/Condition.ts"
import { allRows, type Column, type NumberColumn, type Table } from "../data/Table.ts"
import { isCount } from "../data/Units.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ChartClause, Clause, GroupBy } from "./Clause.ts"
import { requestFor } from "./RequestText.ts"

/** A clause with all that it leaves open, or why it cannot be done. */
export const resolve = (clause: Clause, table: Table): Clause | { readonly refusal: string } => {
  const filled = clause.kind === "chart" ? withDefaults(clause, table) : clause
  const refusal = filled === undefined ? nothingToDraw() : problemOf(filled, table)
  return refusal !== undefined || filled === undefined ? { refusal: refusal ?? "" } : filled
}

/** The columns that say most about a table: numbers of one unit, dates, and words with few different values. */
export const mainColumns = (table: Table) => {
  const rows = allRows(table)
  const indexOf = (test: (column: Column) => boolean): number | undefined => {
    const index = table.columns.findIndex(test)
    return index < 0 ? undefined : index
  }
  const isOfOneUnit = (column: Column): boolean => isMeasurable(column) && mixedUnits(table, rows, column) === undefined
  const isCategory = (column: Column): boolean =>
    column.kind === "text" && column.names === undefined && column.labels.length >= 2 && column.labels.length <= 50
  return {
    number:
      indexOf((column) => isOfOneUnit(column) && !isCount(column.name)) ??
      indexOf(isOfOneUnit) ??
      indexOf(isMeasurable),
    date: indexOf((column) => column.kind === "date" && column.values.some(Number.isFinite)),
    category:
      indexOf((column) => isCategory(column) && column.kind === "text" && column.labels.length < table.rowCount) ??
      indexOf(isCategory)
  }
}

const isMeasurable = (column: Column): column is NumberColumn =>
  column.kind === "number" && !column.isIdentifier && column.values.some(Number.isFinite)

/** A chart by its measure and group; undefined where no column can be drawn. */
const withDefaults = (chart: ChartClause & Pick<Clause, "where">, table: Table): typeof chart | undefined => {
  const { category, date, number } = mainColumns(table)
  const column = date ?? category
  const by = chart.by ?? (column === undefined ? undefined : { column, step: stepFor(table.columns[column]) })
  const [only = chart.measure === undefined ? number : undefined] = chart.columns
  const measured = table.columns[only ?? -1]
  // A chart of a column of words or dates counts its rows.
  if (only !== undefined && chart.measure === undefined && chart.by === undefined && measured?.kind !== "number")
    return { ...chart, measure: "count", columns: [], by: { column: only, step: stepFor(measured) } }
  if (chart.columns.length > 0 || chart.measure !== undefined) return { ...chart, by }
  if (by === undefined) return undefined
  const isMixed = measured?.kind !== "number" || mixedUnits(table, allRows(table), measured) !== undefined
  return only === undefined || isMixed ? { ...chart, measure: "count", by } : { ...chart, columns: [only], by }
}

/** The step of time that gives a readable number of groups of these dates. */
const stepFor = (column: Column | undefined): GroupBy["step"] => {
  if (column?.kind !== "date" || column.precision === "month") return undefined
  const present = column.values.filter(Number.isFinite).toSorted()
  const days = ((present.at(-1) ?? 0) - (present[0] ?? 0)) / 86_400_000
  return days <= 92 ? undefined : days <= 366 * 6 ? "month" : "year"
}

const nothingToDraw = (): string =>
  Language.text("There is no column of dates or words to draw a chart by.", "没有可以用来画图的日期列或文字列。")

/** Why a clause cannot be done; undefined where it can. */
const problemOf = (clause: Clause, table: Table): string | undefined => {
  const { where } = clause
  const compared = table.columns[where?.column ?? -1]
  if (where !== undefined && compared !== undefined && !isComparable(compared, where.operator, where.value))
    return notComparable(compared, where.operator)
  const problem = "by" in clause || clause.kind === "chart" ? groupProblem(clause, table) : undefined
  if (problem !== undefined) return problem
  // Rows can be in the order of words and dates, too, but only numbers and dates have a top.
  const isPossible = (column: Column | undefined): boolean =>
    column?.kind === "number" || (clause.kind === "rows" && (clause.limit === undefined || column?.kind === "date"))
  const wrong = calculatedIn(clause).find((index) => !isPossible(table.columns[index]))
  return wrong === undefined ? mixtureProblem(clause, table) : notNumbers(table.columns[wrong])
}

/** The columns that a clause calculates with or orders by. */
const calculatedIn = (clause: Clause): ReadonlyArray<number> => {
  if (clause.kind === "report") return []
  if (clause.kind === "rows") return clause.order === undefined ? [] : [clause.order.column]
  if (clause.measure === "count") return []
  return clause.kind === "which" ? [clause.column ?? -1] : clause.columns
}

const groupProblem = (clause: Extract<Clause, { readonly by?: unknown }>, table: Table): string | undefined => {
  const { by } = clause
  if (by === undefined)
    return clause.kind === "chart"
      ? Language.text("Say by which column to draw it.", "请说明按哪一列画图。")
      : undefined
  const column = table.columns[by.column ?? -1]
  if (by.column === undefined) {
    const dates = table.columns.flatMap(({ kind }, index) => (kind === "date" ? [index] : []))
    const requests = dates.map(
      (index) => `“${Markdown.escapeText(requestFor({ ...clause, by: { ...by, column: index } }, table), 200)}”`
    )
    const advice = Markdown.joinWords(requests, "or")
    return dates.length === 0
      ? Language.text("There is no column of dates.", "没有日期列。")
      : Language.text(`Several columns are dates. Say ${advice}.`, `有几列是日期。请说${advice}。`)
  }
  const name = Markdown.bold(column?.name ?? "")
  if (by.step !== undefined && column?.kind !== "date")
    return Language.text(`${name} is not read as dates.`, `${name} 不是日期。`)
  return clause.kind === "chart" && clause.mark === "line" && column?.kind === "text"
    ? Language.text("A line needs dates or numbers; ask for a bar chart.", "折线图需要日期或数字；请画柱状图。")
    : undefined
}

/** The first column that a clause would calculate, order or compare across units, and these. */
const mixtureIn = (clause: Clause, table: Table) => {
  const by = "by" in clause ? clause.by?.column : undefined
  const compared = clause.where === undefined ? [] : [clause.where.column]
  const uses = [
    ...compared.map((index) => ({ index, rows: allRows(table), group: undefined })),
    ...calculatedIn(clause).map((index) => ({ index, rows: rowsWhere(table, clause.where), group: by }))
  ]
  for (const { group, index, rows } of uses) {
    const column = table.columns[index]
    const mixture = column?.kind === "number" ? mixedUnits(table, rows, column, group) : undefined
    if (column?.kind === "number" && mixture !== undefined) return { ...mixture, of: column }
  }
  return undefined
}

/** Refuses to mix currencies or units, with complete requests that do not. */
const mixtureProblem = (clause: Clause, table: Table): string | undefined => {
  const mixture = mixtureIn(clause, table)
  const source = table.columns[mixture?.column ?? -1]
  if (mixture === undefined || source?.kind !== "text") return undefined
  const label = mixture.labels.find((each) => !/^(?:none|无|–|-)?$/.test(each)) ?? mixture.labels[0] ?? ""
  const where = { column: mixture.column, operator: "is" as const, value: label }
  const grouped: ReadonlyArray<Clause> =
    clause.kind === "figures" || clause.kind === "chart" ? [{ ...clause, by: { column: mixture.column } }] : []
  const examples = [...grouped, { ...clause, where }]
    .filter((each) => mixtureIn(each, table) === undefined)
    .map((each) => `“${Markdown.escapeText(requestFor(each, table), 200)}”`)
  const shown = mixture.labels.slice(0, 6).map((each) => (each === "" ? "–" : Markdown.escapeText(each)))
  const list = shown.join(Language.text(", ", "、")) + (mixture.labels.length > shown.length ? "…" : "")
  const [name, names] = [mixture.of.name, source.name].map(Markdown.bold)
  const advice = Markdown.joinWords(examples, "or")
  const [nouns, noun] = source.names === "currency" ? ["currencies", "货币"] : ["units", "单位"]
  // Whether the numbers are amounts in them is not known of each column beside.
  const refusal = Language.text(
    `${names} has several ${nouns} (${list}), so ${name} is neither added up nor compared across them.`,
    `${names} 中有多种${noun}（${list}），所以不能把 ${name} 跨${noun}相加或比较。`
  )
  if (examples.length === 0) return refusal
  return Language.text(`${refusal} Say for example ${advice}.`, `${refusal}例如可以说${advice}。`)
}

const notNumbers = (column: Column | undefined): string => {
  const name = Markdown.bold(column?.name ?? "")
  if (column?.kind === "date")
    return Language.text(`${name} is a column of dates, and not of numbers.`, `${name} 是日期列，不是数字列。`)
  const example = Markdown.escapeText((column?.kind === "text" ? column.labels[0] : undefined) ?? "–")
  return Language.text(
    `${name} is not read as numbers: it has for example “${example}”.`,
    `${name} 不是数字，例如“${example}”。`
  )
}

const notComparable = ({ kind, name }: Column, operator: string): string =>
  Language.text(
    `${Markdown.bold(name)} is a column of ${{ text: "words", number: "numbers", date: "dates" }[kind]}, which “${operator.replace("<", "\\<")}” cannot compare so.`,
    `${Markdown.bold(name)} 是${{ text: "文字", number: "数字", date: "日期" }[kind]}列，不能这样比较。`
  )
