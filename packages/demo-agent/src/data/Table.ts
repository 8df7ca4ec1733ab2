import * as Markdown from "../format/Markdown.ts"
import type { DateStyle } from "./Dates.ts"
import type { DecimalMark } from "./Numbers.ts"

/** What the values of a column are. */
export type ColumnKind = "integer" | "number" | "date" | "boolean" | "text" | "empty"

interface ColumnBase {
  readonly name: string
  /** Things a reader should know, one sentence each: an assumption made, values that did not fit. */
  readonly notes: ReadonlyArray<string>
  /** Set where other columns name several currencies or units for the numbers in this one. */
  readonly rowUnits?: RowUnits | undefined
}

interface DenseColumn extends ColumnBase {
  readonly values: Float64Array
  /** Currency or percent sign found with the values. */
  readonly unit?: string | undefined
  readonly decimalMark: DecimalMark
  readonly dateStyle: DateStyle
  /** Dates only: some value has a time of day. */
  readonly hasTimeOfDay: boolean
}

/** A column of numbers that can be added up. */
export interface NumberColumn extends DenseColumn {
  readonly kind: "integer" | "number"
  /** The numbers name rows, as an id, a phone number or a year does: they are neither added up nor drawn. */
  readonly isIdentifier: boolean
}

/** The currency or unit of each row. */
export interface RowUnits {
  readonly noun: "currency" | "unit"
  /** The names of the columns that name them. */
  readonly sources: ReadonlyArray<string>
  /** The currencies or units; "" for none. */
  readonly labels: ReadonlyArray<string>
  /** The label of each row, by its index. */
  readonly codes: Uint32Array
}

/** A column of dates as epoch milliseconds, UTC. */
export interface DateColumn extends DenseColumn {
  readonly kind: "date"
}

/** A column of numbers or dates; `NaN` is a missing value. */
export type NumericColumn = NumberColumn | DateColumn

/** A column of words: each row points into `labels`; code 0 is a missing value. */
export interface LabelColumn extends ColumnBase {
  readonly kind: "boolean" | "text" | "empty"
  readonly codes: Uint32Array
  readonly labels: ReadonlyArray<string>
  /** Set where the words are amounts of several units. */
  readonly amounts?: MixedAmounts | undefined
  /** Set where the words are currencies or units of the numbers in other columns. */
  readonly names?: "currency" | "unit" | undefined
}

/** How amounts of several units are written. */
export interface MixedAmounts {
  /** The units, of which each amount has one; undefined for amounts without one. */
  readonly units: ReadonlyArray<string | undefined>
  readonly decimalMark: DecimalMark
}

/** One column, stored densely. */
export type Column = NumericColumn | LabelColumn

/** Rows and columns with notes on how they were read. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  readonly rowCount: number
  readonly duplicateRows: number
  /** Rows of the file that look like totals of others, and are no rows of the table. */
  readonly totals?: Totals | undefined
  /** Things a reader should know about the file as a whole, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** The rows that look like totals, with one of their labels. */
export interface Totals {
  readonly count: number
  readonly example: string
}

/** Row numbers of a table, from 0. */
export type Rows = Uint32Array

/** Every row of the table. */
export const allRows = (table: Table): Rows => Uint32Array.from({ length: table.rowCount }, (_, row) => row)

/** Tells whether a column holds numbers that can be added up. */
export const isNumber = (column: Column): column is NumberColumn =>
  column.kind === "integer" || column.kind === "number"

/** Tells whether a column holds numbers that name rows instead of measuring something. */
export const isIdentifier = (column: Column): boolean => isNumber(column) && column.isIdentifier

/** A value of a column as a reader would write it. */
export const valueText = (column: NumericColumn, value: number): string => {
  if (isDate(column)) return Markdown.date(value, column.hasTimeOfDay)
  return column.isIdentifier && Number.isFinite(value) ? String(value) : Markdown.number(value, column.unit)
}

/** Tells whether a column holds dates. */
export const isDate = (column: Column): column is DateColumn => column.kind === "date"

/** Tells whether a column holds words. */
export const isLabel = (column: Column): column is LabelColumn =>
  column.kind === "text" || column.kind === "boolean" || column.kind === "empty"

/** Tells whether one cell has no value. */
export const isMissingAt = (column: Column, row: number): boolean =>
  isLabel(column) ? (column.codes[row] ?? 0) === 0 : Number.isNaN(column.values[row] ?? Number.NaN)

/** The word in one cell, "" when it is missing. */
export const labelAt = (column: LabelColumn, row: number): string => {
  const code = column.codes[row] ?? 0
  return code === 0 ? "" : (column.labels[code - 1] ?? "")
}
