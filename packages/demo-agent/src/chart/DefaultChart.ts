import { granularityFor } from "../data/Aggregation.ts"
import { defaultMeasure, mainColumns } from "./MainColumns.ts"
import { summariseNumbers } from "../data/Statistics.ts"
import { isDate, type DateColumn, type Table } from "../data/Table.ts"
import type { ChartPlan } from "./ChartPlan.ts"

/** Plans the chart of a first look at a table; `undefined` where no column can be drawn. */
export const defaultChart = (table: Table): ChartPlan | undefined => {
  const { category, date, number } = mainColumns(table)
  const measured =
    number === undefined
      ? { measure: "count" as const }
      : { column: number, measure: defaultMeasure(table.columns[number]?.name ?? "") }
  const dates = date === undefined ? undefined : table.columns[date]
  if (number !== undefined && date !== undefined && dates !== undefined && isDate(dates))
    return { mark: "line", by: date, step: stepFor(dates), ...measured }
  if (category !== undefined) return { mark: "bar", by: category, step: "month", ...measured }
  return number === undefined ? undefined : { mark: "histogram", column: number }
}

/** The step of time that gives a readable number of groups of these dates. */
export const stepFor = (dates: DateColumn): ReturnType<typeof granularityFor> => {
  const { max, min } = summariseNumbers(dates, Uint32Array.from(dates.values.keys()))
  return granularityFor(min, max)
}
