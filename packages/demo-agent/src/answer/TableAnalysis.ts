import type { ChartPlan } from "../chart/ChartPlan.ts"
import { tableChart } from "../chart/TableChart.ts"
import { mixtureNotes } from "../data/Currencies.ts"
import type { Data } from "../data/DataFile.ts"
import { applyFilters, describeFilters, type Filter } from "../data/Filter.ts"
import { isNumber, type Column, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
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
  const findingLines = [...mixtureNotes(table, rows), ...listFindings(table, profiles)].map(
    (sentence) => `- ${sentence}`
  )
  const plannedChart = requestedPlan === undefined ? defaultChart(table) : { ok: true as const, plan: requestedPlan }
  const chart = plannedChart.ok ? tableChart(table, rows, plannedChart.plan, filters) : undefined
  return {
    messages: [
      `${openingOf(data, rows, filters)}\n\n${columnTable(profiles)}`,
      ...(numbers === undefined ? [] : [`${Language.text("The numbers in figures:", "数字列的统计：")}\n\n${numbers}`]),
      ...findingsSection(table, findingLines)
    ],
    summary: summaryOf(data, rows, filters, profiles),
    findings: findingLines.length === 0 ? [] : [shortList(findingLines)],
    chart,
    plan: plannedChart.ok ? plannedChart.plan : undefined,
    noChartReason:
      chart !== undefined
        ? undefined
        : plannedChart.ok
          ? Language.text("There are no values to draw.", "没有值可以画图。")
          : plannedChart.reason
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
      ? Language.text(`all ${Markdown.plural(table.rowCount, "row")}`, `的全部 ${Markdown.integer(table.rowCount)} 行`)
      : Language.text(
          `${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)}`,
          `中符合“${describeFilters(filters)}”的 ${Markdown.integer(rows.length)} 行`
        )
  const name = Markdown.bold(data.name)
  const summary = Language.text(`Based on ${scope} of ${name}.`, `以上基于 ${name} ${scope}。`)
  if (intent.kind === "shape" && data.json !== undefined)
    return { messages: [shapeTable(data.json, maxShapePaths)], summary, findings: [] }
  if (intent.kind !== "chart" || intent.plan === undefined) {
    const messages = await answerAboutTable(intent, table, rows, signal)
    return { messages, summary, findings: summarise(messages) }
  }
  const chart = tableChart(table, rows, intent.plan, filters)
  const figures = figuresOf(intent.plan)
  const title =
    chart === undefined
      ? []
      : [
          Language.text(
            `The chart shows “${Markdown.escapeText(chart.title, 100)}”.`,
            `图中是“${Markdown.escapeText(chart.title, 100)}”。`
          )
        ]
  const figureSentences = figures === undefined ? [] : summarise(await answerAboutTable(figures, table, rows, signal))
  const reason =
    rows.length === 0
      ? Language.text("No row fits the filter, so there is nothing to draw.", "没有符合筛选的行，所以没有什么可画的。")
      : Language.text("The rows have no values to draw.", "这些行没有值可以画图。")
  return {
    messages: mixtureNotes(table, rows, [figures === undefined ? undefined : drawnColumn(table, figures)]),
    summary,
    findings: [...title, ...figureSentences],
    chart,
    noChartReason: chart === undefined ? reason : undefined
  }
}

/** The column whose values a chart draws, where it draws values. */
const drawnColumn = (table: Table, figures: Intent): Column | undefined =>
  figures.kind === "measure" && figures.measure !== "count" && figures.column !== undefined
    ? table.columns[figures.column]
    : undefined

const sizeOf = (table: Table): string =>
  Language.text(
    `${Markdown.plural(table.rowCount, "row")} and ${Markdown.plural(table.columns.length, "column")}`,
    `${Markdown.integer(table.rowCount)} 行 ${Markdown.integer(table.columns.length)} 列`
  )

const openingOf = ({ json, name, table }: TableData, rows: Rows, filters: ReadonlyArray<Filter>): string => {
  const path = json?.tablePath
  const pathNote =
    path === undefined
      ? ""
      : Language.text(
          `, taken from \`${path.replace(/`/g, "")}\` of the JSON`,
          `，取自 JSON 的 \`${path.replace(/`/g, "")}\``
        )
  const filterNote =
    filters.length === 0
      ? ""
      : Language.text(
          ` The filter “${describeFilters(filters)}” leaves ${Markdown.plural(rows.length, "row")}.`,
          `筛选“${describeFilters(filters)}”后剩下 ${Markdown.integer(rows.length)} 行。`
        )
  return Language.text(
    `${Markdown.bold(name)} has ${sizeOf(table)}${pathNote}.${filterNote}`,
    `${Markdown.bold(name)} 有 ${sizeOf(table)}${pathNote}。${filterNote}`
  )
}

const findingsSection = (table: Table, findingLines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shownLines =
    findingLines.length > 15
      ? [
          ...findingLines.slice(0, 15),
          Language.text(
            `- _${findingLines.length - 15} more of this kind_`,
            `- _同类的另有 ${findingLines.length - 15} 条_`
          )
        ]
      : findingLines
  const noRows = Language.text("There is a header but no row below it.", "有表头，但下面没有行。")
  if (shownLines.length > 0)
    return [
      `${Language.text("Worth knowing:", "值得注意：")}\n${shownLines.join("\n")}`,
      ...(table.rowCount === 0 ? [noRows] : [])
    ]
  return table.rowCount === 0
    ? [noRows]
    : [
        Language.text(
          "Nothing is missing, no row is ragged or repeated, and no number is an outlier.",
          "没有缺失值，没有长短不齐或重复的行，也没有异常值。"
        )
      ]
}

const summaryOf = (
  { name, table }: TableData,
  rows: Rows,
  filters: ReadonlyArray<Filter>,
  profiles: ReadonlyArray<ColumnProfile>
): string => {
  const rowsNote =
    filters.length === 0
      ? ""
      : Language.text(
          ` (${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)})`,
          `（其中 ${Markdown.integer(rows.length)} 行符合“${describeFilters(filters)}”）`
        )
  const missing = profiles.reduce((sum, { summary }) => sum + summary.missing, 0)
  const outliers = profiles.reduce(
    (sum, { column, summary }) =>
      "outliers" in summary && isNumber(column) && !column.isIdentifier ? sum + summary.outliers.count : sum,
    0
  )
  return Language.text(
    `${Markdown.bold(name)}: ${sizeOf(table)}${rowsNote}, ${Markdown.plural(missing, "missing value")}, ${Markdown.plural(outliers, "outlier")}, ${Markdown.plural(table.duplicateRows, "repeated row")}.`,
    `${Markdown.bold(name)}：${sizeOf(table)}${rowsNote}，缺失值 ${Markdown.integer(missing)} 个，异常值 ${Markdown.integer(outliers)} 个，重复的行 ${Markdown.integer(table.duplicateRows)} 个。`
  )
}
