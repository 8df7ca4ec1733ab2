import type { Condition } from "../data/Condition.ts"
import type { DateStep, Measure } from "../data/Groups.ts"

/** What rows are grouped by: a column by index; the dates of a column by month or year. */
export interface GroupBy {
  /** Undefined where a request says "by month" and not of which column. */
  readonly column: number | undefined
  readonly step?: DateStep | undefined
}

/** One thing that a request asks for, with the only rows that it is about; columns by index. */
export type Clause = { readonly where?: Condition | undefined } & (
  | { readonly kind: "report" }
  | FiguresClause
  | ChartClause
  | RowsClause
  /** "Which city has the highest price?" */
  | {
      readonly kind: "which"
      readonly group: number
      readonly measure: Measure
      readonly column?: number | undefined
      readonly isHighest: boolean
    }
)

/** Figures of columns, or a count of rows where there is no column. */
export interface FiguresClause {
  readonly kind: "figures"
  readonly measure: Measure
  readonly columns: ReadonlyArray<number>
  readonly by?: GroupBy | undefined
}

/** A chart for each column; without a column, of the number of rows or, without a measure too, the default chart. */
export interface ChartClause {
  readonly kind: "chart"
  readonly mark?: "bar" | "line" | undefined
  readonly measure?: Measure | undefined
  readonly columns: ReadonlyArray<number>
  readonly by?: GroupBy | undefined
}

/** Rows as they are or in an order. */
export interface RowsClause {
  readonly kind: "rows"
  readonly order?: { readonly column: number; readonly isDescending: boolean } | undefined
  readonly limit?: number | undefined
}

/** A request that was understood to its last word, or why nothing is calculated. */
export type ParsedRequest =
  | { readonly kind: "clauses"; readonly clauses: ReadonlyArray<Clause> }
  | {
      readonly kind: "refused"
      readonly reason: string
      /** The words were understood, but the data does not allow it. */
      readonly isUnderstood: boolean
    }
