import type { Data } from "../data/DataFile.ts"
import { applyFilters, type Filter } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { ParsedRequest } from "../question/Intent.ts"
import { mixtureNotes } from "./AmountAnswer.ts"
import type { Analysis } from "./Analysis.ts"
import { maxShapePaths, profileJson, shapeTable } from "./JsonAnswer.ts"
import { analyseProse } from "./ProseAnalysis.ts"
import { summarise } from "./Summary.ts"
import { analyseTable, profileTable } from "./TableAnalysis.ts"

/** Answers a request about data; pure but for yielding to the event loop. */
export const analyse = async (
  data: Data,
  request: ParsedRequest,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Analysis> => {
  if (data.kind === "json") return analyseJson(data, request)
  if (data.kind === "prose") return analyseProse(data, request)
  const { otherIntents = [], intent } = request
  const analysis =
    intent.kind === "profile"
      ? await profileTable(data, intent.plan, filters, signal)
      : await analyseTable(data, intent, filters, signal)
  const otherMessages: Array<string> = []
  for (const otherIntent of otherIntents)
    otherMessages.push(...(await analyseTable(data, otherIntent, filters, signal)).messages)
  return {
    ...analysis,
    messages: [...comparisonNotes(data.table, filters, request.filters), ...analysis.messages, ...otherMessages],
    findings: [...analysis.findings, ...summarise(otherMessages)]
  }
}

/** Says of each new condition that compares amounts of several currencies that it does. */
const comparisonNotes = (
  table: Table,
  filters: ReadonlyArray<Filter>,
  added: ReadonlyArray<Filter>
): ReadonlyArray<string> => {
  const compared = (each: ReadonlyArray<Filter>) =>
    each.flatMap(({ any }) => any.flatMap(({ column, operator }) => (COMPARES.test(operator) ? [column] : [])))
  const names = compared(added)
  if (names.length === 0) return []
  const rows = applyFilters(
    table,
    filters.filter((filter) => compared([filter]).length === 0)
  )
  return mixtureNotes(
    rows,
    table.columns.filter(({ name }) => names.includes(name))
  ).map((note) => Language.text(`${note} The condition compares the numbers alone.`, `${note}这个条件只比较数字本身。`))
}

const COMPARES = /^(?:[<>]=?|between)$/

const analyseJson = (
  { json, name, notes }: Extract<Data, { readonly kind: "json" }>,
  { intent }: ParsedRequest
): Analysis => ({
  messages: intent.kind === "shape" ? [shapeTable(json, maxShapePaths)] : [...notes, ...profileJson(json, name)],
  summary: Language.text(
    `${Markdown.bold(name)} is JSON with ${Markdown.plural(json.shape.length, "path")} and no array of objects, so it cannot become a table.`,
    `${Markdown.bold(name)} 是有 ${Markdown.integer(json.shape.length)} 个路径的 JSON，没有对象数组，所以不能变成表格。`
  ),
  findings: [],
  noChartReason: Language.text("It contains nothing to plot.", "里面没有可以画图的内容。")
})
