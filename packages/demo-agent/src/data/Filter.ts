import * as Markdown from "../format/Markdown.ts"
import { parsePeriod, type Period } from "./Dates.ts"
import { isMissingInTyped } from "./MissingValues.ts"
import { parseNumber } from "./Numbers.ts"
import {
  isDate,
  isLabel,
  isMissingAt,
  type Column,
  type LabelColumn,
  type NumericColumn,
  type Rows,
  type Table
} from "./Table.ts"

/** How a value is compared. */
export type Operator =
  | "is"
  | "is not"
  | ">"
  | ">="
  | "<"
  | "<="
  | "contains"
  | "starts with"
  | "between"
  | "is missing"
  | "is present"

/** One comparison, as it was asked: it is stored in the session and applied to the data each time. */
export interface Condition {
  readonly column: string
  readonly operator: Operator
  readonly values: ReadonlyArray<string>
}

/** Alternatives of which one must hold; a session keeps a list of them, all of which must hold. */
export interface Filter {
  readonly any: ReadonlyArray<Condition>
}

/** The rows in which every filter holds. */
export const applyFilters = (table: Table, filters: ReadonlyArray<Filter>): Rows => {
  const tests = filters.map((filter) => filter.any.map((condition) => testOf(table, condition)))
  const rows = new Uint32Array(table.rowCount)
  let n = 0
  for (let row = 0; row < table.rowCount; row++) {
    if (tests.every((any) => any.some((test) => test(row)))) rows[n++] = row
  }
  return rows.slice(0, n)
}

/** Says the filters in words, safe for Markdown. */
export const describeFilters = (filters: ReadonlyArray<Filter>): string =>
  filters
    .map((filter) => filter.any.map(describeCondition).join(" or "))
    .map((text, i) => (filters.length > 1 && (filters[i]?.any.length ?? 0) > 1 ? `(${text})` : text))
    .join(" and ")

/** Adds filters to those of a session; "region is US" takes the place of "region is EU", all else narrows further. */
export const mergeFilters = (
  old: ReadonlyArray<Filter>,
  added: ReadonlyArray<Filter>
): { readonly filters: ReadonlyArray<Filter>; readonly replaced: ReadonlyArray<Filter> } => {
  const columns = new Set(added.map(equalityColumn).filter((column) => column !== undefined))
  const replaced = old.filter((filter) => columns.has(equalityColumn(filter) ?? ""))
  const same = (a: Filter, b: Filter): boolean => JSON.stringify(a) === JSON.stringify(b)
  const kept = old.filter((filter) => !replaced.includes(filter) && !added.some((other) => same(filter, other)))
  return {
    filters: [...kept, ...added],
    replaced: replaced.filter((filter) => !added.some((other) => same(filter, other)))
  }
}

const equalityColumn = (filter: Filter): string | undefined => {
  const column = filter.any[0]?.column
  return filter.any.every((condition) => condition.operator === "is" && condition.column === column)
    ? column
    : undefined
}

type RowTest = (row: number) => boolean

const testOf = (table: Table, condition: Condition): RowTest => {
  const column = table.columns.find((candidate) => candidate.name === condition.column)
  if (column === undefined) return () => false
  if (condition.operator === "is missing") return (row) => isMissingAt(column, row)
  if (condition.operator === "is present") return (row) => !isMissingAt(column, row)
  if (isLabel(column)) return labelTest(column, condition)
  return condition.operator === "contains" || condition.operator === "starts with"
    ? digitsTest(column, condition)
    : valueTest(column, condition)
}

const labelTest = (column: LabelColumn, { operator, values }: Condition): RowTest => {
  const wanted = values.map((value) => value.toLowerCase())
  const fits = (label: string): boolean => {
    if (operator === "contains") return wanted.some((value) => label.includes(value))
    if (operator === "starts with") return wanted.some((value) => label.startsWith(value))
    return wanted.includes(label) === (operator === "is")
  }
  const verdicts = column.labels.map((label) => fits(label.toLowerCase()))
  return (row) => {
    const code = column.codes[row] ?? 0
    return code === 0 ? operator === "is not" : (verdicts[code - 1] ?? false)
  }
}

/** Numbers and dates as they are written. */
const digitsTest = (column: NumericColumn, { operator, values }: Condition): RowTest => {
  const wanted = (values[0] ?? "").toLowerCase()
  return (row) => {
    const value = column.values[row] ?? Number.NaN
    if (Number.isNaN(value)) return false
    const shown = isDate(column) ? Markdown.date(value, column.timed) : String(value)
    return operator === "contains" ? shown.includes(wanted) : shown.startsWith(wanted)
  }
}

const valueTest = (column: NumericColumn, { operator, values }: Condition): RowTest => {
  const periods = values.map((value) => periodIn(column, value))
  const [a, b = a] = periods
  if (a === undefined || b === undefined) return () => false
  const compare: Record<string, (value: number) => boolean> = {
    is: (value) => periods.some((period) => value >= period.from && value < period.until),
    "is not": (value) => !periods.some((period) => value >= period.from && value < period.until),
    ">": (value) => value >= a.until,
    ">=": (value) => value >= a.from,
    "<": (value) => value < a.from,
    "<=": (value) => value < a.until,
    between: (value) => value >= Math.min(a.from, b.from) && value < Math.max(a.until, b.until)
  }
  const holds = compare[operator] ?? (() => false)
  return (row) => {
    const value = column.values[row] ?? Number.NaN
    return Number.isNaN(value) ? operator === "is not" : holds(value)
  }
}

/** A number is the smallest interval around itself, so that numbers and dates compare by the same rules. */
const periodIn = (column: Column, value: string): Period => {
  if (isDate(column)) return parsePeriod(value, column.dateStyle) ?? NEVER
  const number = numberIn(column, value)
  return number === undefined ? NEVER : { from: number, until: nextAfter(number) }
}

const NEVER: Period = { from: Number.NaN, until: Number.NaN }

const nextAfter = (value: number): number => {
  const view = new DataView(new ArrayBuffer(8))
  if (value === 0) return Number.MIN_VALUE
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}

/** A number as it is written in a filter, in the notation of the column; "2k" and "1.5M" are numbers. */
export const numberIn = (column: Column, value: string): number | undefined => {
  if (isLabel(column) || isMissingInTyped(value)) return undefined
  const scaled = /^(.+?)\s*([kKmM])$/.exec(value)
  const factor = scaled === null ? 1 : /k/i.test(scaled[2] ?? "") ? 1e3 : 1e6
  const number = parseNumber(scaled?.[1] ?? value, column.decimalMark) ?? parseNumber(scaled?.[1] ?? value, ".")
  return number === undefined ? undefined : number * factor
}

const describeCondition = (condition: Condition): string => {
  const values = condition.values.map((value) => Markdown.cell(value))
  const operator = condition.operator.replace("<", "\\<")
  const right = condition.operator === "between" ? values.join(" and ") : values.join(", ")
  return `${Markdown.cell(condition.column)} ${operator}${right === "" ? "" : ` ${right}`}`
}
