import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Measure, DateGranularity } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"

/** What a person wants done with the data at hand; columns by index. */
export type Intent =
  | { readonly do: "profile"; /** The chart asked for in the same request. */ readonly plan?: ChartPlan | undefined }
  | { readonly do: "rows" | "count" | "columns" | "outliers" | "missing" | "duplicates" | "help" | "shape" }
  | { readonly do: "headings" | "links" | "words" | "frequent" }
  | { readonly do: "items"; readonly which: "open" | "done" | "all" }
  | {
      readonly do: "table"
      readonly limit: number
      /** "As a table": the last chart is meant, if there was one. */ readonly again: boolean
    }
  | { readonly do: "top"; readonly column: number; readonly limit: number; readonly largest: boolean }
  | { readonly do: "describe"; readonly column: number }
  | MeasureIntent
  | { readonly do: "chart"; readonly plan: ChartPlan | undefined }
  | { readonly do: "cannot"; readonly why: string }

/** One figure, or one for each group. */
export interface MeasureIntent {
  readonly do: "measure"
  readonly measure: Measure
  readonly column?: number | undefined
  readonly by?: number | undefined
  readonly step: DateGranularity
  readonly limit?: number | undefined
  readonly largest: boolean
}

/** A request as the agent understands it. */
export interface ParsedRequest {
  readonly intent: Intent
  /** What was asked in the same request, answered in words and tables. */
  readonly also?: ReadonlyArray<Intent>
  /** Conditions to add to those of the session. */
  readonly filters: ReadonlyArray<Filter>
  /** The conditions of the session are dropped first. */
  readonly reset: boolean
  /** Choices made for the reader, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** What the request is about: a table, a text, or JSON without a table. */
export type Subject =
  | { readonly kind: "table"; readonly table: Table; readonly json: boolean }
  | { readonly kind: "prose" }
  | { readonly kind: "json" }

/** A request that changes no filter. */
export const asking = (intent: Intent, notes: ReadonlyArray<string> = []): ParsedRequest => ({
  intent,
  filters: [],
  reset: false,
  notes
})

/** A request that cannot be answered, with the reason. */
export const cannot = (why: string): ParsedRequest => asking({ do: "cannot", why })
