import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Chart } from "../chart/Chart.ts"
import { defaultChart } from "../chart/DefaultChart.ts"
import { tableChart } from "../chart/TableChart.ts"
import type { Data } from "../data/DataFile.ts"
import { applyFilters, describeFilters, type Filter } from "../data/Filter.ts"
import type { Rows, Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent, Part } from "../question/Intent.ts"
import { mixtureNotes, namesUnitsOf } from "./AmountAnswer.ts"
import { figuresOf, type Analysis } from "./Analysis.ts"
import { maxShapePaths, shapeTable } from "./JsonAnswer.ts"
import { readingNotes } from "./ReadingNotes.ts"
import { shortList, summarise } from "./Summary.ts"
import { answerAboutTable } from "./TableAnswer.ts"
import {
  columnTable,
  listFindings,
  measuredProfiles,
  numberTable,
  profileColumns,
  type ColumnProfile
} from "./TableProfile.ts"

type TableData = Extract<Data, { readonly kind: "table" }>

/** Answers one part of a request about a table. */
export const analysePart = async (
  data: TableData,
  part: Part,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  const { table } = data
  const { intent } = part
  const rows = applyFilters(table, filters)
  if (intent.kind === "profile") return profileTable(data, rows, filters, signal)
  const summary = scopeOf(data, filters)
  const done = { summary, charts: [], isRefused: false }
  if (intent.kind === "shape" && data.json !== undefined)
    return { ...done, messages: [shapeTable(data.json, maxShapePaths)], findings: [] }
  const mixture = rankingMixture(table, rows, intent)
  if (mixture.length > 0) return { ...done, messages: mixture, findings: mixture, isRefused: true }
  const notes = readingNotes(table, filters, part)
  if (intent.kind !== "chart") {
    const messages = await answerAboutTable(intent, table, rows, signal)
    return { ...done, messages: [...messages, ...notes], findings: [...summarise(messages), ...notes] }
  }
  const { plan } = intent
  const drawn = drawPlan(table, rows, plan, filters)
  if ("reason" in drawn) return { ...done, messages: [drawn.reason], findings: [drawn.reason], isRefused: true }
  const { chart } = drawn
  const title = Language.text(
    `The chart shows “${Markdown.escapeText(chart.title, 100)}”.`,
    `图中是“${Markdown.escapeText(chart.title, 100)}”。`
  )
  const figures = figuresOf(plan)
  const sentences = figures === undefined ? [] : summarise(await answerAboutTable(figures, table, rows, signal))
  return { ...done, messages: [title, ...notes], findings: [title, ...sentences, ...notes], charts: [{ chart, plan }] }
}

/** Says which rows an answer is based on. */
export const scopeOf = ({ name: fileName, table }: TableData, filters: ReadonlyArray<Filter>): string => {
  const name = Markdown.bold(fileName)
  const all = Markdown.integer(table.rowCount)
  const leftOut = totalsNote(table)
  if (filters.length === 0)
    return Language.text(
      `Based on all ${Markdown.plural(table.rowCount, "row")} of ${name}.${leftOut}`,
      `以上基于 ${name} 的全部 ${all} 行。${leftOut}`
    )
  const count = applyFilters(table, filters).length
  return Language.text(
    `Based on ${Markdown.plural(count, "row")} where ${describeFilters(filters)}, of ${all} in ${name}.${leftOut}`,
    `以上基于 ${name} 的 ${all} 行中符合“${describeFilters(filters)}”的 ${Markdown.integer(count)} 行。${leftOut}`
  )
}

/** Says how many rows look like totals of others, and are left out; "" for none. */
const totalsNote = ({ totals }: Table): string => {
  if (totals === undefined) return ""
  const label = Markdown.escapeText(totals.example)
  return Language.text(
    ` ${Markdown.plural(totals.count, "row that looks like a total is", "rows that look like totals are")} left out (“${label}”).`,
    `另有 ${Markdown.integer(totals.count)} 行像是合计（“${label}”），没有计入。`
  )
}

/** Profiles a table: its columns, its figures, what deserves attention, and a chart. */
const profileTable = async (
  data: TableData,
  rows: Rows,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  const { table } = data
  const profiles = await profileColumns(table, rows, signal)
  const numbers = numberTable(profiles)
  const totals = totalsNote(table).trim()
  const findingLines = [
    ...(totals === "" ? [] : [totals]),
    ...mixtureNotes(rows, table.columns),
    ...listFindings(table, profiles)
  ].map((sentence) => `- ${sentence}`)
  const plan = defaultChart(table)
  const drawn = plan === undefined ? undefined : drawPlan(table, rows, plan, filters)
  const noChart =
    drawn === undefined
      ? Language.text("There is no column with values to draw.", "没有可以画图的列。")
      : "reason" in drawn
        ? drawn.reason
        : undefined
  return {
    messages: [
      `${openingOf(data, rows, filters)}\n\n${columnTable(profiles)}`,
      ...(numbers === undefined ? [] : [`${Language.text("The numbers in figures:", "数字列的统计：")}\n\n${numbers}`]),
      ...findingsSection(table, findingLines),
      ...(noChart === undefined ? [] : [noChart])
    ],
    summary: summaryOf(data, rows, filters, profiles),
    findings: findingLines.length === 0 ? [] : [shortList(findingLines)],
    charts: drawn !== undefined && "chart" in drawn ? [{ chart: drawn.chart, plan }] : [],
    isRefused: false
  }
}

/** Why rows or groups have no order: it would compare several currencies or units. */
const rankingMixture = (table: Table, rows: Rows, intent: Intent): ReadonlyArray<string> => {
  const ranks =
    intent.kind === "top" ||
    (intent.kind === "measure" && (intent.limit ?? intent.order) !== undefined && intent.measure !== "count")
  return ranks && intent.column !== undefined ? mixtureNotes(rows, [table.columns[intent.column]]) : []
}

/** Draws a plan, or says why there is nothing to draw. */
const drawPlan = (
  table: Table,
  rows: Rows,
  plan: ChartPlan,
  filters: ReadonlyArray<Filter>
): { readonly chart: Chart } | { readonly reason: string } => {
  if (rows.length === 0 && filters.length > 0)
    return {
      reason: Language.text(
        "No row fits the filter, so there is nothing to draw.",
        "没有符合筛选的行，所以没有什么可画的。"
      )
    }
  // Each group of a chart by currency is in one.
  const by = "by" in plan ? table.columns[plan.by] : undefined
  const [mixture] = mixtureNotes(
    rows,
    drawnColumns(plan)
      .map((index) => table.columns[index])
      .filter((column) => column !== undefined && (by === undefined || !namesUnitsOf(by, column)))
  )
  if (mixture !== undefined) return { reason: mixture }
  const chart = tableChart(table, rows, plan, filters)
  return chart === undefined
    ? { reason: Language.text("The rows have no values to draw.", "这些行没有值可以画图。") }
    : { chart }
}

/** The columns whose values a chart draws. */
const drawnColumns = (plan: ChartPlan): ReadonlyArray<number> => {
  if (plan.mark === "scatter") return [plan.x, plan.y]
  return plan.column === undefined || ("measure" in plan && plan.measure === "count") ? [] : [plan.column]
}

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
  const outliers = profiles.flatMap(measuredProfiles).reduce((sum, { summary }) => sum + summary.outliers.count, 0)
  return Language.text(
    `${Markdown.bold(name)}: ${sizeOf(table)}${rowsNote}, ${Markdown.plural(missing, "missing value")}, ${Markdown.plural(outliers, "outlier")}, ${Markdown.plural(table.duplicateRows, "repeated row")}.`,
    `${Markdown.bold(name)}：${sizeOf(table)}${rowsNote}，缺失值 ${Markdown.integer(missing)} 个，异常值 ${Markdown.integer(outliers)} 个，重复的行 ${Markdown.integer(table.duplicateRows)} 个。`
  )
}
