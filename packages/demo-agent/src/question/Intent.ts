import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Measure, DateGranularity } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"

/** What a part of a request asks for; columns by index. */
export type Intent =
  | { readonly kind: "profile" | "rows" | "columns" | "outliers" | "missing" | "duplicates" | "shape" }
  | { readonly kind: "headings" | "links" | "words" | "frequent" | "frequentChart" }
  | { readonly kind: "items"; readonly status: "open" | "done" | "all" }
  | {
      readonly kind: "table"
      readonly limit: number
      /** "As a table" shows the figures of the last charts. */ readonly refersToCharts: boolean
    }
  | { readonly kind: "top"; readonly column: number; readonly limit: number; readonly largest: boolean }
  | { readonly kind: "describe"; readonly column: number }
  | MeasureIntent
  | { readonly kind: "chart"; readonly plan: ChartPlan }

/** One figure, or one for each group. */
export interface MeasureIntent {
  readonly kind: "measure"
  readonly measure: Measure
  /** Undefined for a count of rows. */
  readonly column?: number | undefined
  readonly by?: number | undefined
  readonly step: DateGranularity
  /** The order of the groups by their figures; by default dates and numbers are in their own order. */
  readonly order?: "largest" | "smallest" | undefined
  /** How many groups are shown. */
  readonly limit?: number | undefined
}

/** A part of a request with the rows that it is about. */
export interface Part {
  readonly intent: Intent
  /** Conditions beside those of the session. */
  readonly filters: ReadonlyArray<Filter>
  /** True where the conditions also hold for what comes later: "only rows where region is EU". */
  readonly keepsFilters: boolean
  /** True where the conditions of the session are removed first. */
  readonly reset: boolean
  /** Choices made for the reader, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** A request that was understood to its last word, or why nothing is calculated. */
export type ParsedRequest =
  | { readonly kind: "parts"; readonly parts: ReadonlyArray<Part> }
  | { readonly kind: "help" }
  | { readonly kind: "cannot"; readonly reason: string }

/** The kind of data: a table, a text, or JSON without a table; with the name of its file. */
export type Subject =
  | { readonly kind: "table"; readonly name: string; readonly table: Table; readonly isFromJson: boolean }
  | { readonly kind: "prose" | "json"; readonly name: string }

/** A part about all rows that the session has. */
export const partFor = (intent: Intent, changes: Partial<Part> = {}): Part => ({
  intent,
  filters: [],
  keepsFilters: false,
  reset: false,
  notes: [],
  ...changes
})

/** The columns whose values the answer to an intent uses, by index. */
export const usedColumns = (intent: Intent): ReadonlyArray<number> =>
  Object.entries(intent.kind === "chart" ? intent.plan : intent).flatMap(([key, value]) =>
    ["by", "column", "x", "y"].includes(key) && typeof value === "number" ? [value] : []
  )
