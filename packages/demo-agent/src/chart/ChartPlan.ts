import type { Measure, DateGranularity } from "../data/Aggregation.ts"

/** A chart that can be drawn from a table; columns by index. */
export type ChartPlan =
  | { readonly mark: "histogram"; readonly column: number }
  | ({ readonly mark: "bar" | "line" } & GroupedFigures)
  | { readonly mark: "scatter"; readonly x: number; readonly y: number }

/** A figure for each group of rows. */
export interface GroupedFigures {
  readonly by: number
  readonly step: DateGranularity
  readonly column?: number | undefined
  readonly measure: Measure
}
