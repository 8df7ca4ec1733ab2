import * as Markdown from "../format/Markdown.ts"
import type { DateStyle } from "./Dates.ts"
import type { DecimalMark } from "./Numbers.ts"
import type { Unit } from "./Units.ts"

interface ColumnBase {
  readonly name: string
  /** How the values were read, where a reader should know; clauses without a full stop. */
  readonly notes: ReadonlyArray<string>
}

/** A column of numbers; `NaN` is a missing value. */
export interface NumberColumn extends ColumnBase {
  readonly kind: "number"
  readonly values: Float64Array
  /** The cells as the file has them: each row points into `labels`; code 0 is an empty cell. */
  readonly written: { readonly codes: Uint32Array; readonly labels: ReadonlyArray<string> }
  /** The unit that stands beside every number, as it is written. */
  readonly unit: string | undefined
  /** The numbers name rows, as an id or a year does. */
  readonly isIdentifier: boolean
  readonly decimalMark: DecimalMark
  /** The columns that name the currencies or units of these numbers, by index. */
  readonly unitColumns: ReadonlyArray<number>
}

/** A column of dates as epoch milliseconds, UTC; `NaN` is a missing value. */
export interface DateColumn extends ColumnBase {
  readonly kind: "date"
  readonly values: Float64Array
  readonly style: DateStyle
  readonly precision: Markdown.DatePrecision
}

/** A column of words: each row points into `labels`; code 0 is a missing value. */
export interface TextColumn extends ColumnBase {
  readonly kind: "text"
  readonly codes: Uint32Array
  readonly labels: ReadonlyArray<string>
  /** Set where the words are currencies or units of the numbers in other columns. */
  readonly names: Unit["noun"] | undefined
}

/** One column, stored densely. */
export type Column = NumberColumn | DateColumn | TextColumn

/** Rows and columns with notes on how they were read. */
export interface Table {
  readonly columns: ReadonlyArray<Column>
  readonly rowCount: number
  /** Things that the report says about the file, one sentence each. */
  readonly notes: ReadonlyArray<string>
  /** What is left out of every answer, one sentence each. */
  readonly leftOut: ReadonlyArray<string>
}

/** Row numbers of a table, from 0. */
export type Rows = Uint32Array

/** Every row of the table. */
export const allRows = (table: Table): Rows => Uint32Array.from({ length: table.rowCount }, (_, row) => row)

/** Tells whether one cell has no value. */
export const isMissingAt = (column: Column, row: number): boolean =>
  column.kind === "text" ? (column.codes[row] ?? 0) === 0 : Number.isNaN(column.values[row] ?? Number.NaN)

/** The word in one cell, "" when it is missing. */
export const labelAt = (column: TextColumn, row: number): string => column.labels[(column.codes[row] ?? 0) - 1] ?? ""

/** A value of a column as a reader would write it. */
export const valueText = (column: NumberColumn | DateColumn, value: number): string => {
  if (column.kind === "date") return Markdown.date(value, column.precision)
  return column.isIdentifier && Number.isFinite(value) ? String(value) : Markdown.number(value, column.unit)
}

/** One cell as text, escaped; "" when it is missing. Numbers are as they are written. */
export const cellText = (column: Column, row: number): string => {
  if (column.kind === "number") {
    const { codes, labels } = column.written
    return Markdown.escapeText(labels[(codes[row] ?? 0) - 1] ?? "")
  }
  if (isMissingAt(column, row)) return ""
  return column.kind === "text"
    ? Markdown.escapeText(labelAt(column, row), 200)
    : valueText(column, column.values[row] ?? Number.NaN)
}

/** The values of some rows without the missing ones, in row order. */
export const presentValues = (column: NumberColumn | DateColumn, rows: Rows): Float64Array =>
  Float64Array.from(rows, (row) => column.values[row] ?? Number.NaN).filter((value) => !Number.isNaN(value))
