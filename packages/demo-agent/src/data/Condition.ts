import { parsePeriod } from "./Dates.ts"
import { parseAmount } from "./Numbers.ts"
import { groupRows } from "./Groups.ts"
import { unitKey, unitOf } from "./Units.ts"
import { type Column, type NumberColumn, type Rows, type Table } from "./Table.ts"

/** How a value is compared. */
export type Operator = "is" | "is not" | ">" | ">=" | "<" | "<=" | "contains"

/** A comparison of a column, by index, with a value as it is written. */
export interface Condition {
  readonly column: number
  readonly operator: Operator
  readonly value: string
}

/** The rows that meet a condition; all rows without one. */
export const rowsWhere = (table: Table, condition: Condition | undefined): Rows => {
  const rows = Uint32Array.from({ length: table.rowCount }, (_, row) => row)
  const column = condition === undefined ? undefined : table.columns[condition.column]
  if (condition === undefined || column === undefined) return rows
  const test = column.kind === "text" ? textTest(column.labels, condition) : valueTest(column, condition)
  return rows.filter((row) =>
    column.kind === "text" ? test(column.codes[row] ?? 0) : test(column.values[row] ?? Number.NaN)
  )
}

/** Tells whether a column can be compared so with a value that is written so. */
export const isComparable = (column: Column, operator: Operator, value: string): boolean =>
  column.kind === "text"
    ? operator === "is" || operator === "is not" || operator === "contains"
    : operator !== "contains" && intervalOf(column, value) !== undefined

/** Tells whether a word is a label of a column, also another name of a currency or unit. */
export const isLabelOf = (label: string, word: string, isUnit: boolean): boolean =>
  label.toLowerCase() === word.toLowerCase() ||
  (isUnit && unitOf(label) !== undefined && unitOf(label)?.name === unitOf(word)?.name)

/** A test of the code of a label; a missing value is only different from all others. */
const textTest = (labels: ReadonlyArray<string>, { operator, value }: Condition): ((code: number) => boolean) => {
  const expected = value.toLowerCase()
  const isUnit = labels.some((label) => unitOf(label) !== undefined)
  const matches = labels.map((label) =>
    operator === "contains"
      ? label.toLowerCase().includes(expected)
      : isLabelOf(label, value, isUnit) === (operator === "is")
  )
  return (code) => (code === 0 ? operator === "is not" : (matches[code - 1] ?? false))
}

const valueTest = (column: Exclude<Column, { readonly kind: "text" }>, condition: Condition) => {
  const [from, until] = intervalOf(column, condition.value) ?? [Number.NaN, Number.NaN]
  const tests: Record<Operator, (value: number) => boolean> = {
    is: (value) => value >= from && value <= until,
    "is not": (value) => !(value >= from && value <= until),
    ">": (value) => value > until,
    ">=": (value) => value >= from,
    "<": (value) => value < from,
    "<=": (value) => value <= until,
    contains: () => false
  }
  return tests[condition.operator]
}

/** A number, or the first and the last moment of a date, in the notation and the unit of the column. */
const intervalOf = (
  column: Exclude<Column, { readonly kind: "text" }>,
  value: string
): readonly [from: number, until: number] | undefined => {
  if (column.kind === "number") {
    const number = numberOf(column, value)
    return number === undefined ? undefined : [number, number]
  }
  const period = parsePeriod(value, column.style)
  return period === undefined ? undefined : [period.from, period.until - 1]
}

const numberOf = (column: NumberColumn, text: string): number | undefined => {
  const amount = parseAmount(text, column.decimalMark) ?? parseAmount(text, ".")
  const isOfColumn = amount?.unit === undefined || amount.unit.name === unitOf(column.unit ?? "")?.name
  return isOfColumn ? amount?.value : undefined
}

/**
 * The units of the numbers in some rows, where a column of the table names several; `undefined` for one unit at most.
 * Rows that are grouped by a column of their units have these apart.
 */
export const mixedUnits = (
  table: Table,
  rows: Rows,
  column: NumberColumn,
  by?: number
): { readonly column: number; readonly labels: ReadonlyArray<string> } | undefined => {
  const present = rows.filter((row) => !Number.isNaN(column.values[row] ?? Number.NaN))
  const grouping = by !== undefined && column.unitColumns.includes(by) ? table.columns[by] : undefined
  const parts = grouping === undefined ? [present] : groupRows(present, grouping).map((group) => group.rows)
  for (const index of column.unitColumns) {
    const source = table.columns[index]
    if (source?.kind !== "text" || source === grouping) continue
    for (const part of parts) {
      const labels = new Map<string, string>()
      for (const code of new Set(part.map((row) => source.codes[row] ?? 0))) {
        const label = source.labels[code - 1] ?? ""
        if (!labels.has(unitKey(label))) labels.set(unitKey(label), label)
      }
      if (labels.size > 1) return { column: index, labels: [...labels.values()] }
    }
  }
  return undefined
}
