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
  const filterText = describeFilters(filters)
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
  const without = Markdown.plural(rowsWithoutGroup, "row")
  const labels = {
    titleOf: () => groupedTitle(plan, by, column),
    valueAxisTitle: valueTitle(plan.measure, column),
    filterText,
    notes: [
      ...(rowsWithoutGroup > 0
        ? [
            Language.text(
              `${without} without ${by.name} left out`,
              `${Markdown.integer(rowsWithoutGroup)} 行没有 ${by.name}，未画出`
            )
          ]
        : []),
      ...outlierNotes(plan.measure, valueColumn, rows)
    ]
  }
  return plan.mark === "line"
    ? lineChart(sortGroups(by, groups), by, plan.step, labels)
    : barChart(sortGroups(by, groups), {
        ...labels,
        largestFirst: isLabel(by),
        groupAxisTitle: by.kind === "date" ? capitalise(groupingLabel(by, plan.step)) : by.name
      })
}

/** Outliers move an average, so the chart names them. */
const outlierNotes = (measure: Measure, column: NumberColumn | undefined, rows: Rows): ReadonlyArray<string> => {
  if (measure !== "mean" || column === undefined) return []
  const { count } = summariseNumbers(column, rows).outliers
  return count > 0
    ? [Language.text(`${Markdown.plural(count, "outlier")} included`, `含 ${Markdown.integer(count)} 个异常值`)]
    : []
}

const valueTitle = (measure: Measure, column: Column | undefined): string =>
  column === undefined || measure === "count"
    ? Language.text("Number of rows", "行数")
    : Language.text(
        `${capitalise(measureWords[measure])} ${nameOf(column)}`,
        `${chineseMeasures[measure]}${spaced(nameOf(column))}`
      )

const nameOf = (column: Column): string => (isNumber(column) ? axisTitle(column) : column.name)

const groupedTitle = ({ measure, step }: GroupedFigures, by: Column, column: Column | undefined): string => {
  const [figure, group] = [valueTitle(measure, column), groupingLabel(by, step)]
  return Language.text(`${figure} by ${group}`, `按${spaced(group)}${isHan(group) ? "" : " "}的${figure}`)
}

/** A name after a Chinese word. */
const spaced = (name: string): string => (isHan(name) ? name : ` ${name}`)

const isHan = (name: string): boolean => /^\p{Script=Han}/u.test(name)
