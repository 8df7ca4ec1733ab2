import { groupingLabel, groupRows, inOrder, measureWord, type Measure } from "../data/Aggregation.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import { isLabel, isNumber, type Column, type NumberColumn, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import { barChart } from "./BarChart.ts"
import { axisTitle, type Chart } from "./Chart.ts"
import type { ChartPlan, GroupedFigures } from "./ChartPlan.ts"
import { histogram } from "./Histogram.ts"
import { lineChart } from "./LineChart.ts"
import { scatterChart } from "./ScatterChart.ts"

/** Draws rows of a table by a plan; `undefined` when no row has the values it needs. */
export const tableChart = (table: Table, rows: Rows, plan: ChartPlan, filters: string): Chart | undefined => {
  const column = (index: number | undefined): Column | undefined =>
    index === undefined ? undefined : table.columns[index]
  if (plan.mark === "histogram") {
    const measured = column(plan.column)
    return measured === undefined || isLabel(measured) ? undefined : histogram(measured, rows, filters)
  }
  if (plan.mark === "scatter") {
    const [x, y] = [column(plan.x), column(plan.y)]
    return x === undefined || y === undefined || isLabel(x) || isLabel(y)
      ? undefined
      : scatterChart(x, y, rows, filters)
  }
  const by = column(plan.by)
  return by === undefined ? undefined : groupedChart(rows, plan, by, column(plan.column), filters)
}

const groupedChart = (
  rows: Rows,
  plan: GroupedFigures & { readonly mark: "bar" | "line" },
  by: Column,
  column: Column | undefined,
  filters: string
): Chart | undefined => {
  const measured = column !== undefined && isNumber(column) ? column : undefined
  const { groups, ungrouped } = groupRows(rows, by, plan.step, measured, plan.measure)
  if (groups.length === 0) return undefined
  const values = valuesTitle(plan.measure, column)
  const over = groupingLabel(by, plan.step)
  const labels = {
    title: `${values} by ${over}`,
    values,
    filters,
    notes: [
      ...(ungrouped > 0 ? [`${Markdown.plural(ungrouped, "row")} without ${by.name} left out`] : []),
      ...outlierNotes(plan.measure, measured, rows)
    ]
  }
  return plan.mark === "line"
    ? lineChart(inOrder(by, groups), by, plan.step, labels)
    : barChart(inOrder(by, groups), isLabel(by), { ...labels, groups: by.kind === "date" ? capitalise(over) : by.name })
}

/** Outliers move an average, so the chart names them. */
const outlierNotes = (measure: Measure, column: NumberColumn | undefined, rows: Rows): ReadonlyArray<string> => {
  if (measure !== "mean" || column === undefined) return []
  const { count } = summariseNumbers(column, rows).outliers
  return count > 0 ? [`${Markdown.plural(count, "outlier")} included`] : []
}

const valuesTitle = (measure: Measure, column: Column | undefined): string =>
  column === undefined || measure === "count"
    ? "Number of rows"
    : `${capitalise(measureWord[measure])} ${isNumber(column) ? axisTitle(column) : column.name}`
