import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Measure, DateGranularity } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"

/** What a request asks for; columns by index. */
export type Intent =
  | { readonly kind: "profile"; /** The chart that the same request names. */ readonly plan?: ChartPlan | undefined }
  | { readonly kind: "rows" | "count" | "columns" | "outliers" | "missing" | "duplicates" | "help" | "shape" }
  | { readonly kind: "headings" | "links" | "words" | "frequent" }
  | { readonly kind: "items"; readonly status: "open" | "done" | "all" }
  | {
      readonly kind: "table"
      readonly limit: number
      /** "As a table" shows the figures of the last chart, where there is one. */ readonly refersToLastChart: boolean
    }
  | { readonly kind: "top"; readonly column: number; readonly limit: number; readonly largest: boolean }
  | { readonly kind: "describe"; readonly column: number }
  | MeasureIntent
  | { readonly kind: "chart"; readonly plan: ChartPlan | undefined }
  | { readonly kind: "cannot"; readonly reason: string }

/** One figure, or one for each group. */
export interface MeasureIntent {
  readonly kind: "measure"
  readonly measure: Measure
  readonly column?: number | undefined
  readonly by?: number | undefined
  readonly step: DateGranularity
  readonly limit?: number | undefined
  readonly largest: boolean
}

/** A parsed request. */
export interface ParsedRequest {
  readonly intent: Intent
  /** Further questions of the same request, answered in words and tables. */
  readonly otherIntents?: ReadonlyArray<Intent>
  /** Conditions to add to those of the session. */
  readonly filters: ReadonlyArray<Filter>
  /** True when the conditions of the session are removed first. */
  readonly reset: boolean
  /** Choices made for the reader, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** The kind of data: a table, a text, or JSON without a table. */
export type Subject =
  | { readonly kind: "table"; readonly table: Table; readonly isFromJson: boolean }
  | { readonly kind: "prose" | "json"; /** The name of the file. */ readonly name: string }

/** A request that changes no filter. */
export const requestFor = (intent: Intent, notes: ReadonlyArray<string> = []): ParsedRequest => ({
  intent,
  filters: [],
  reset: false,
  notes
})

/** A request that cannot be answered, with the reason. */
export const unanswerable = (reason: string): ParsedRequest => requestFor({ kind: "cannot", reason })

/** The columns whose values the answer to an intent uses, by index. */
export const usedColumns = (intent: Intent): ReadonlyArray<number> => {
  const plan = "plan" in intent ? intent.plan : intent
  return Object.entries(plan ?? {}).flatMap(([key, value]) =>
    ["by", "column", "x", "y"].includes(key) && typeof value === "number" ? [value] : []
  )
}
