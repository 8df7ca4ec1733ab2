import {
  chineseMeasures,
  groupingLabel,
  groupRows,
  sortGroups,
  measureWords,
  type Measure
} from "../data/Aggregation.ts"
import { describeFilters, type Filter } from "../data/Filter.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import { isLabel, isNumber, type Column, type NumberColumn, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import { barChart } from "./BarChart.ts"
import { axisTitle, type Chart } from "./Chart.ts"
import type { ChartPlan, GroupedFigures } from "./ChartPlan.ts"
import { histogramChart } from "./Histogram.ts"
import { lineChart } from "./LineChart.ts"
import { scatterChart } from "./ScatterChart.ts"

/** Draws rows of a table by a plan; `undefined` when no row has the values it needs. */
export const tableChart = (
  table: Table,
  rows: Rows,
  plan: ChartPlan,
  filters: ReadonlyArray<Filter>
): Chart | undefined => {
  const chart = Language.run("english", () => pictureOf(table, rows, plan, describeFilters(filters)))
  return chart && { ...chart, caption: Language.text(chart.title, chineseCaption(table, plan)) }
}

const chineseCaption = ({ columns }: Table, plan: ChartPlan): string => {
  const nameOf = (index: number | undefined): string => (index === undefined ? "" : (columns[index]?.name ?? ""))
  if (plan.mark === "histogram") return `${nameOf(plan.column)} 的分布`
  if (plan.mark === "scatter") return `${nameOf(plan.y)} 与 ${nameOf(plan.x)}`
  const by = columns[plan.by]
  const figure =
    plan.column === undefined || plan.measure === "count"
      ? "行数"
      : `${chineseMeasures[plan.measure]} ${nameOf(plan.column)}`
  const group = by === undefined ? "" : groupingLabel(by, plan.step)
  return `按${/^\p{Script=Han}/u.test(group) ? group : ` ${group} `}的${figure}`
}

const pictureOf = (table: Table, rows: Rows, plan: ChartPlan, filterText: string): Chart | undefined => {
  const column = (index: number | undefined): Column | undefined =>
    index === undefined ? undefined : table.columns[index]
  if (plan.mark === "histogram") {
    const valueColumn = column(plan.column)
    return valueColumn === undefined || isLabel(valueColumn) ? undefined : histogramChart(valueColumn, rows, filterText)
  }
  if (plan.mark === "scatter") {
    const [x, y] = [column(plan.x), column(plan.y)]
    return x === undefined || y === undefined || isLabel(x) || isLabel(y)
      ? undefined
      : scatterChart(x, y, rows, filterText)
  }
  const by = column(plan.by)
  return by === undefined ? undefined : groupedChart(rows, plan, by, column(plan.column), filterText)
}

const groupedChart = (
  rows: Rows,
  plan: GroupedFigures & { readonly mark: "bar" | "line" },
  by: Column,
  column: Column | undefined,
  filterText: string
): Chart | undefined => {
  const valueColumn = column !== undefined && isNumber(column) ? column : undefined
  const { groups, rowsWithoutGroup } = groupRows(rows, by, plan.step, valueColumn, plan.measure)
  if (groups.length === 0) return undefined
  const valueAxisTitle = valueTitle(plan.measure, column)
  const groupName = groupingLabel(by, plan.step)
  const labels = {
    title: `${valueAxisTitle} by ${groupName}`,
    valueAxisTitle,
    filterText,
    notes: [
      ...(rowsWithoutGroup > 0 ? [`${Markdown.plural(rowsWithoutGroup, "row")} without ${by.name} left out`] : []),
      ...outlierNotes(plan.measure, valueColumn, rows)
    ]
  }
  return plan.mark === "line"
    ? lineChart(sortGroups(by, groups), by, plan.step, labels)
    : barChart(sortGroups(by, groups), {
        ...labels,
        largestFirst: isLabel(by),
        groupAxisTitle: by.kind === "date" ? capitalise(groupName) : by.name
      })
}

/** Outliers move an average, so the chart names them. */
const outlierNotes = (measure: Measure, column: NumberColumn | undefined, rows: Rows): ReadonlyArray<string> => {
  if (measure !== "mean" || column === undefined) return []
  const { count } = summariseNumbers(column, rows).outliers
  return count > 0 ? [`${Markdown.plural(count, "outlier")} included`] : []
}

const valueTitle = (measure: Measure, column: Column | undefined): string =>
  column === undefined || measure === "count"
    ? "Number of rows"
    : `${capitalise(measureWords[measure])} ${isNumber(column) ? axisTitle(column) : column.name}`
