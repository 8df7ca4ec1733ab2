import { parseBoolean } from "./Booleans.ts"
import { dateStyles, parseDate, type DateStyle } from "./Dates.ts"
import { isMissing, isMissingInTyped } from "./MissingValues.ts"
import { hasLeadingZero, parseNumber, unitOf, type DecimalMark } from "./Numbers.ts"

/** What the values of a column are, and how they are written. */
export type ColumnType = LabelType | NumberType | DateType

export interface LabelType {
  readonly kind: "empty" | "text" | "boolean"
}

export interface NumberType {
  readonly kind: "integer" | "number"
  readonly mark: DecimalMark
  readonly unit: string | undefined
  /** The values would also be numbers with the other decimal mark. */
  readonly ambiguous: boolean
}

export interface DateType {
  readonly kind: "date"
  readonly style: DateStyle
  /** Every value would also be a date with day and month swapped. */
  readonly ambiguous: boolean
}

/** Tells whether the values are kept as words. */
export const isLabelType = (type: ColumnType): type is LabelType =>
  type.kind === "empty" || type.kind === "text" || type.kind === "boolean"

/** How many cells of a column fit each type. */
export interface CellCounts {
  present: number
  /** Values that are missing unless the column holds text. */
  missingInTyped: number
  decimalPoint: number
  decimalComma: number
  fractions: number
  /** Numbers whose comma may separate thousands or decimals. */
  ambiguousCommas: number
  leadingZeros: number
  booleans: number
  unit: string | undefined
  readonly dates: Map<DateStyle, number>
  /** So few cells fit any type that the column is text. */
  isText: boolean
}

export const noCells = (): CellCounts => ({
  present: 0,
  missingInTyped: 0,
  decimalPoint: 0,
  decimalComma: 0,
  fractions: 0,
  ambiguousCommas: 0,
  leadingZeros: 0,
  booleans: 0,
  unit: undefined,
  dates: new Map(),
  isText: false
})

/** A column has a type when this share of its values fits; the rest is reported. */
const SHARE = 0.95
/** After this many values a column of which less than half fits a type is text. */
const SAMPLE = 200

/** Counts one cell. */
export const countCell = (counts: CellCounts, cell: string): void => {
  if (isMissing(cell)) return
  if (isMissingInTyped(cell)) {
    counts.missingInTyped++
    return
  }
  counts.present++
  if (counts.isText) return
  if (!countNumber(counts, cell)) {
    if (parseBoolean(cell) !== undefined) counts.booleans++
    for (const style of dateStyles) {
      if (parseDate(cell, style) !== undefined) counts.dates.set(style, (counts.dates.get(style) ?? 0) + 1)
    }
  }
  if (counts.present >= SAMPLE && counts.present % 100 === 0) {
    const { booleans, dates, decimalComma, decimalPoint, present } = counts
    counts.isText = Math.max(decimalPoint, decimalComma, booleans, ...dates.values()) < present / 2
  }
}

/** The type that the counted cells have in common. */
export const inferType = (counts: CellCounts): ColumnType => {
  const { booleans, dates, decimalComma, decimalPoint, isText, present } = counts
  if (present === 0) return { kind: counts.missingInTyped === 0 ? "empty" : "text" }
  const enough = present * SHARE
  if (isText) return { kind: "text" }
  if (Math.max(decimalPoint, decimalComma) >= enough && counts.leadingZeros === 0) {
    return {
      kind: counts.fractions === 0 ? "integer" : "number",
      mark: decimalComma > decimalPoint ? "," : ".",
      unit: counts.unit,
      ambiguous: counts.ambiguousCommas > 0 && decimalPoint === decimalComma
    }
  }
  const fitting = (style: DateStyle) => dates.get(style) ?? 0
  const style = dateStyles.reduce((best, next) => (fitting(next) > fitting(best) ? next : best))
  if (fitting(style) >= enough) {
    const ambiguous = style === "month/day/year" && fitting(style) === fitting("day/month/year")
    return { kind: "date", style, ambiguous }
  }
  return { kind: booleans >= enough ? "boolean" : "text" }
}

/** Counts a cell that is a number with either decimal mark; false when it is none. */
const countNumber = (counts: CellCounts, cell: string): boolean => {
  const byPoint = parseNumber(cell, ".")
  const byComma =
    byPoint !== undefined && Number.isInteger(byPoint) && !/[.,]/.test(cell) ? byPoint : parseNumber(cell, ",")
  if (byPoint === undefined && byComma === undefined) return false
  if (byPoint !== undefined) counts.decimalPoint++
  if (byComma !== undefined) counts.decimalComma++
  if (byPoint !== undefined && byComma !== undefined && byPoint !== byComma && cell.includes(","))
    counts.ambiguousCommas++
  if (!Number.isInteger(byPoint ?? byComma)) counts.fractions++
  if (hasLeadingZero(cell)) counts.leadingZeros++
  counts.unit ??= unitOf(cell)
  return true
}
