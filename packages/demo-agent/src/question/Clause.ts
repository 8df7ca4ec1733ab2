import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { DateGranularity, Measure } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"

/** What a clause asks for, in the words of the grammar; columns by index. */
export type Clause =
  | { readonly kind: "figures"; readonly figures: ReadonlyArray<Figure>; readonly options: Options }
  | { readonly kind: "scatter"; readonly x: number; readonly y: number; readonly options: Options }
  | {
      readonly kind: "top"
      readonly column: number
      readonly limit: number
      readonly largest: boolean
      readonly options: Options
    }
  | { readonly kind: "describe"; readonly columns: ReadonlyArray<number>; readonly options: Options }
  | { readonly kind: "rows"; readonly options: Options }
  | { readonly kind: "table"; readonly limit: number | undefined; readonly options: Options }
  | {
      readonly kind: "profile" | "columns" | "outliers" | "missing" | "duplicates" | "shape"
      readonly options: Options
    }
  | { readonly kind: "help"; readonly options: Options }

/** A column with its calculation; a count of rows has no column. */
export interface Figure {
  readonly measure: Measure | undefined
  readonly column: number | undefined
}

/** A column that groups rows, or a step of time. */
export interface Group {
  readonly column: number | undefined
  readonly step: DateGranularity | undefined
}

/** What a clause says beside its figures; each of them at most once. */
export interface Options {
  readonly by?: Group
  readonly filters?: ReadonlyArray<Filter>
  readonly allRows?: true
  readonly chart?: ChartPlan["mark"] | "any"
  readonly table?: true
  readonly order?: "largest" | "smallest"
  readonly limit?: number
}

/** A count of rows. */
export const rowCount: Figure = { measure: "count", column: undefined }
