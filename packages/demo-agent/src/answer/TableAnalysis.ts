import type { ChartPlan } from "../chart/ChartPlan.ts"
import { tableChart } from "../chart/TableChart.ts"
import type { Data } from "../data/DataFile.ts"
import { applyFilters, describeFilters, type Filter } from "../data/Filter.ts"
import { isNumber, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { defaultChart } from "../question/DefaultChart.ts"
import { figuresOf } from "../question/Figures.ts"
import type { Intent } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { maxShapePaths, shapeTable } from "./JsonAnswer.ts"
import { shortList, summarise } from "./Summary.ts"
import { answerAboutTable } from "./TableAnswer.ts"
import { columnTable, listFindings, numberTable, profileColumns, type ColumnProfile } from "./TableProfile.ts"

type TableData = Extract<Data, { readonly kind: "table" }>

/** Profiles a table: its columns, its figures, what deserves attention, and a chart. */
export const profileTable = async (
  data: TableData,
  requestedPlan: ChartPlan | undefined,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  const { table } = data
  const rows = applyFilters(table, filters)
  const profiles = await profileColumns(table, rows, signal)
  const numbers = numberTable(profiles)
  const findingLines = listFindings(table, profiles).map((sentence) => `- ${sentence}`)
  const plannedChart = requestedPlan === undefined ? defaultChart(table) : { ok: true as const, plan: requestedPlan }
  const chart = plannedChart.ok ? tableChart(table, rows, plannedChart.plan, describeFilters(filters)) : undefined
  return {
    messages: [
      `${openingOf(data, rows, filters)}\n\n${columnTable(profiles)}`,
      ...(numbers === undefined ? [] : [`The numbers in figures:\n\n${numbers}`]),
      ...findingsSection(table, findingLines)
    ],
    summary: summaryOf(data, rows, filters, profiles),
    findings: findingLines.length === 0 ? [] : [shortList(findingLines)],
    chart,
    plan: plannedChart.ok ? plannedChart.plan : undefined,
    noChartReason:
      chart !== undefined ? undefined : plannedChart.ok ? "There are no values to draw." : plannedChart.reason
  }
}

/** Answers one question about a table. */
export const analyseTable = async (
  data: TableData,
  intent: Intent,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  const { table } = data
  const rows = applyFilters(table, filters)
  const scope =
    filters.length === 0
      ? `all ${Markdown.plural(table.rowCount, "row")}`
      : `${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)}`
  const summary = `Based on ${scope} of ${Markdown.bold(data.name)}.`
  if (intent.kind === "shape" && data.json !== undefined)
    return { messages: [shapeTable(data.json, maxShapePaths)], summary, findings: [] }
  if (intent.kind !== "chart" || intent.plan === undefined) {
    const messages = await answerAboutTable(intent, table, rows, signal)
    return { messages, summary, findings: summarise(messages) }
  }
  const chart = tableChart(table, rows, intent.plan, describeFilters(filters))
  const figures = figuresOf(intent.plan)
  const title = chart === undefined ? [] : [`The chart shows “${Markdown.escapeText(chart.title, 100)}”.`]
  const figureSentences = figures === undefined ? [] : summarise(await answerAboutTable(figures, table, rows, signal))
  const reason =
    rows.length === 0 ? "No row fits the filter, so there is nothing to draw." : "The rows have no values to draw."
  return {
    messages: [],
    summary,
    findings: [...title, ...figureSentences],
    chart,
    noChartReason: chart === undefined ? reason : undefined
  }
}

const sizeOf = (table: Table): string =>
  `${Markdown.plural(table.rowCount, "row")} and ${Markdown.plural(table.columns.length, "column")}`

const openingOf = ({ json, name, table }: TableData, rows: Rows, filters: ReadonlyArray<Filter>): string => {
  const path = json?.tablePath
  const pathNote = path === undefined ? "" : `, taken from \`${path.replace(/`/g, "")}\` of the JSON`
  const filterNote =
    filters.length === 0
      ? ""
      : ` The filter “${describeFilters(filters)}” leaves ${Markdown.plural(rows.length, "row")}.`
  return `${Markdown.bold(name)} has ${sizeOf(table)}${pathNote}.${filterNote}`
}

const findingsSection = (table: Table, findingLines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shownLines =
    findingLines.length > 15
      ? [...findingLines.slice(0, 15), `- _${findingLines.length - 15} more of this kind_`]
      : findingLines
  if (shownLines.length > 0)
    return [
      `Worth knowing:\n${shownLines.join("\n")}`,
      ...(table.rowCount === 0 ? ["There is a header but no row below it."] : [])
    ]
  return table.rowCount === 0
    ? ["There is a header but no row below it."]
    : ["Nothing is missing, no row is ragged or repeated, and no number is an outlier."]
}

const summaryOf = (
  { name, table }: TableData,
  rows: Rows,
  filters: ReadonlyArray<Filter>,
  profiles: ReadonlyArray<ColumnProfile>
): string => {
  const rowsNote =
    filters.length === 0 ? "" : ` (${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)})`
  const missing = profiles.reduce((sum, { summary }) => sum + summary.missing, 0)
  const outliers = profiles.reduce(
    (sum, { column, summary }) =>
      "outliers" in summary && isNumber(column) && !column.isIdentifier ? sum + summary.outliers.count : sum,
    0
  )
  return `${Markdown.bold(name)}: ${sizeOf(table)}${rowsNote}, ${Markdown.plural(missing, "missing value")}, ${Markdown.plural(outliers, "outlier")}, ${Markdown.plural(table.duplicateRows, "repeated row")}.`
}
