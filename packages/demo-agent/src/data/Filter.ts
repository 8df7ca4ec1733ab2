import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { parsePeriod, type Period } from "./Dates.ts"
import { isMissingUnlessText } from "./MissingValues.ts"
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
import { unitName } from "./UnitColumns.ts"

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

/** One comparison as the person wrote it; the session stores it and applies it to the data in each turn. */
export interface Condition {
  readonly column: string
  readonly operator: Operator
  readonly values: ReadonlyArray<string>
}

/** Conditions of which at least one must match. A session has a list of filters, which must all match. */
export interface Filter {
  readonly any: ReadonlyArray<Condition>
}

/** The rows that match every filter. */
export const applyFilters = (table: Table, filters: ReadonlyArray<Filter>): Rows => {
  const tests = filters.map((filter) => filter.any.map((condition) => makeRowTest(table, condition)))
  const rows = new Uint32Array(table.rowCount)
  let count = 0
  for (let row = 0; row < table.rowCount; row++) {
    if (tests.every((any) => any.some((test) => test(row)))) rows[count++] = row
  }
  return rows.slice(0, count)
}

/** Describes filters in words, escaped for Markdown. */
export const describeFilters = (filters: ReadonlyArray<Filter>): string =>
  filters
    .map((filter) => filter.any.map(describeCondition).join(Language.text(" or ", " 或 ")))
    .map((text, i) => (filters.length > 1 && (filters[i]?.any.length ?? 0) > 1 ? `(${text})` : text))
    .join(Language.text(" and ", " 且 "))

/** Adds filters to those of a session. "region is US" replaces "region is EU"; other filters are combined. */
export const mergeFilters = (
  previous: ReadonlyArray<Filter>,
  added: ReadonlyArray<Filter>
): { readonly filters: ReadonlyArray<Filter>; readonly replaced: ReadonlyArray<Filter> } => {
  const columns = new Set(added.map(equalityColumn).filter((column) => column !== undefined))
  const replaced = previous.filter((filter) => columns.has(equalityColumn(filter) ?? ""))
  const areEqual = (a: Filter, b: Filter): boolean => JSON.stringify(a) === JSON.stringify(b)
  const remaining = previous.filter(
    (filter) => !replaced.includes(filter) && !added.some((other) => areEqual(filter, other))
  )
  return {
    filters: [...remaining, ...added],
    replaced: replaced.filter((filter) => !added.some((other) => areEqual(filter, other)))
  }
}

const equalityColumn = (filter: Filter): string | undefined => {
  const column = filter.any[0]?.column
  return filter.any.every((condition) => condition.operator === "is" && condition.column === column)
    ? column
    : undefined
}

type RowTest = (row: number) => boolean

const makeRowTest = (table: Table, condition: Condition): RowTest => {
  const column = table.columns.find((candidate) => candidate.name === condition.column)
  if (column === undefined) return () => false
  if (condition.operator === "is missing") return (row) => isMissingAt(column, row)
  if (condition.operator === "is present") return (row) => !isMissingAt(column, row)
  if (isLabel(column)) return labelTest(column, condition)
  return condition.operator === "contains" || condition.operator === "starts with"
    ? notationTest(column, condition)
    : valueTest(column, condition)
}

const labelTest = (column: LabelColumn, { operator, values }: Condition): RowTest => {
  const expected = values.map((value) => (unitName(column.names, value) ?? value).toLowerCase())
  const matchesLabel = (label: string): boolean => {
    if (operator === "contains") return expected.some((value) => label.includes(value))
    if (operator === "starts with") return expected.some((value) => label.startsWith(value))
    return expected.includes(label) === (operator === "is")
  }
  const matchByCode = column.labels.map((label) => matchesLabel(label.toLowerCase()))
  return (row) => {
    const code = column.codes[row] ?? 0
    return code === 0 ? operator === "is not" : (matchByCode[code - 1] ?? false)
  }
}

/** Compares the text of a number or date: "contains" and "starts with". */
const notationTest = (column: NumericColumn, { operator, values }: Condition): RowTest => {
  const expected = (values[0] ?? "").toLowerCase()
  return (row) => {
    const value = column.values[row] ?? Number.NaN
    if (Number.isNaN(value)) return false
    const notation = isDate(column) ? Markdown.date(value, column.hasTimeOfDay) : String(value)
    return operator === "contains" ? notation.includes(expected) : notation.startsWith(expected)
  }
}

const valueTest = (column: NumericColumn, { operator, values }: Condition): RowTest => {
  const periods = values.map((value) => parseInterval(column, value))
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
  const matches = compare[operator] ?? (() => false)
  return (row) => {
    const value = column.values[row] ?? Number.NaN
    return Number.isNaN(value) ? operator === "is not" : matches(value)
  }
}

/** Parses a date as its period and a number as the smallest interval, so that both compare by the same rules. */
const parseInterval = (column: Column, value: string): Period => {
  if (isDate(column)) return parsePeriod(value, column.dateStyle) ?? EMPTY_INTERVAL
  const number = parseColumnNumber(column, value)
  return number === undefined ? EMPTY_INTERVAL : { from: number, until: nextUp(number) }
}

const EMPTY_INTERVAL: Period = { from: Number.NaN, until: Number.NaN }

const nextUp = (value: number): number => {
  const view = new DataView(new ArrayBuffer(8))
  if (value === 0) return Number.MIN_VALUE
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}

/** Parses a number of a filter in the notation of the column; "2k" and "1.5M" are numbers. */
export const parseColumnNumber = (column: Column, value: string): number | undefined => {
  if (isLabel(column) || isMissingUnlessText(value)) return undefined
  const scaled = /^(.+?)\s*([kKmM])$/.exec(value)
  const factor = scaled === null ? 1 : /k/i.test(scaled[2] ?? "") ? 1e3 : 1e6
  const number = parseNumber(scaled?.[1] ?? value, column.decimalMark) ?? parseNumber(scaled?.[1] ?? value, ".")
  return number === undefined ? undefined : number * factor
}

const describeCondition = (condition: Condition): string => {
  const values = condition.values.map((value) => Markdown.escapeText(value))
  const operator = operatorName(condition.operator).replace("<", "\\<")
  const operands = condition.operator === "between" ? values.join(Language.text(" and ", " 和 ")) : values.join(", ")
  return `${Markdown.escapeText(condition.column)} ${operator}${operands === "" ? "" : ` ${operands}`}`
}

/** An operator in the language of the turn. */
export const operatorName = (operator: Operator): string => Language.text(operator, CHINESE_OPERATORS[operator])

const CHINESE_OPERATORS: Readonly<Record<Operator, string>> = {
  is: "为",
  "is not": "不为",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
  contains: "包含",
  "starts with": "开头为",
  between: "介于",
  "is missing": "缺失",
  "is present": "有值"
}
