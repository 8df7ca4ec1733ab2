import { parseBoolean } from "./Booleans.ts"
import { dateStyles, parseDate, type DateStyle } from "./Dates.ts"
import { isMissing, isMissingUnlessText } from "./MissingValues.ts"
import type { MixedAmounts } from "./Table.ts"
import { hasLeadingZero, parseNumber, unitOf, type DecimalMark } from "./Numbers.ts"

/** What the values of a column are, and how they are written. */
export type ColumnType = LabelType | NumberType | DateType

export interface LabelType {
  readonly kind: "empty" | "text" | "boolean"
  /** Set for amounts of different units, which cannot be added up. */
  readonly amounts?: MixedAmounts
}

export interface NumberType {
  readonly kind: "integer" | "number"
  readonly decimalMark: DecimalMark
  /** The unit of every value. */
  readonly unit: string | undefined
  /** The unit of some values, while others have none. */
  readonly partialUnit: string | undefined
  /** "¥" is read as CNY, as other values say. */
  readonly isYuan: boolean
  /** The mark in values that would all be other numbers with the other decimal mark. */
  readonly doubt: DecimalMark | undefined
}

export interface DateType {
  readonly kind: "date"
  readonly style: DateStyle
  /** Every value would also be a date with day and month swapped. */
  readonly isAmbiguous: boolean
}

/** Tells whether the values are stored as words. */
export const isLabelType = (type: ColumnType): type is LabelType =>
  type.kind === "empty" || type.kind === "text" || type.kind === "boolean"

/** How many cells of a column fit each type. */
export interface CellCounts {
  present: number
  /** Values that are missing unless the column holds text. */
  missingUnlessText: number
  decimalPoint: number
  decimalComma: number
  fractions: number
  /** Numbers whose comma, or point, may separate thousands or decimals. */
  ambiguousCommas: number
  ambiguousPoints: number
  leadingZeros: number
  booleans: number
  /** The units of the numbers; "" for a number without one. */
  readonly units: Set<string>
  readonly dates: Map<DateStyle, number>
  /** So few cells fit any type that the column is text. */
  isText: boolean
}

export const emptyCellCounts = (): CellCounts => ({
  present: 0,
  missingUnlessText: 0,
  decimalPoint: 0,
  decimalComma: 0,
  fractions: 0,
  ambiguousCommas: 0,
  ambiguousPoints: 0,
  leadingZeros: 0,
  booleans: 0,
  units: new Set(),
  dates: new Map(),
  isText: false
})

/** A column has a type when this share of its values fits; a note lists the others. */
const MIN_SHARE = 0.95
/** After this many values, a column is text when no type fits half of them. */
const MIN_SAMPLE = 200

/** Counts one cell. */
export const countCell = (counts: CellCounts, cell: string): void => {
  if (isMissing(cell)) return
  if (isMissingUnlessText(cell)) {
    counts.missingUnlessText++
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
  if (counts.present >= MIN_SAMPLE && counts.present % 100 === 0) {
    const { booleans, dates, decimalComma, decimalPoint, present } = counts
    counts.isText = Math.max(decimalPoint, decimalComma, booleans, ...dates.values()) < present / 2
  }
}

/** The type that the counted cells have in common. */
export const inferType = (counts: CellCounts): ColumnType => {
  const { booleans, dates, decimalComma, decimalPoint, isText, present } = counts
  if (present === 0) return { kind: counts.missingUnlessText === 0 ? "empty" : "text" }
  const required = present * MIN_SHARE
  if (isText) return { kind: "text" }
  if (Math.max(decimalPoint, decimalComma) >= required && counts.leadingZeros === 0) {
    const written = [...counts.units].filter((unit) => unit !== "")
    // Beside "元" or "RMB", "¥" is no yen.
    const isYuan = written.length === 2 && counts.units.has("¥") && counts.units.has("CNY")
    const units = isYuan ? ["CNY"] : written
    const decimalMark = decimalComma > decimalPoint ? "," : "."
    // A share and a number are not added, but an amount without its currency may be one.
    if (units.length > 1 || (units[0] === "%" && counts.units.has("")))
      return { kind: "text", amounts: { units: counts.units.has("") ? [...units, undefined] : units, decimalMark } }
    return {
      kind: counts.fractions === 0 ? "integer" : "number",
      decimalMark,
      isYuan,
      ...(counts.units.has("")
        ? { unit: undefined, partialUnit: units[0] }
        : { unit: units[0], partialUnit: undefined }),
      doubt:
        decimalPoint !== decimalComma
          ? undefined
          : counts.ambiguousCommas > 0
            ? ","
            : counts.ambiguousPoints > 0
              ? "."
              : undefined
    }
  }
  const countOf = (style: DateStyle) => dates.get(style) ?? 0
  const style = dateStyles.reduce((best, next) => (countOf(next) > countOf(best) ? next : best))
  if (countOf(style) >= required) {
    const isAmbiguous = style === "month/day/year" && countOf(style) === countOf("day/month/year")
    return { kind: "date", style, isAmbiguous }
  }
  return { kind: booleans >= required ? "boolean" : "text" }
}

/** Counts a cell that is a number with either decimal mark; returns false for other cells. */
const countNumber = (counts: CellCounts, cell: string): boolean => {
  const withPoint = parseNumber(cell, ".")
  const withComma =
    withPoint !== undefined && Number.isInteger(withPoint) && !/[.,]/.test(cell) ? withPoint : parseNumber(cell, ",")
  if (withPoint === undefined && withComma === undefined) return false
  if (withPoint !== undefined) counts.decimalPoint++
  if (withComma !== undefined) counts.decimalComma++
  if (withPoint !== undefined && withComma !== undefined && withPoint !== withComma) {
    if (cell.includes(",")) counts.ambiguousCommas++
    // No thousands begin with a zero.
    else if (!/^\D*0/.test(cell)) counts.ambiguousPoints++
  }
  if (!Number.isInteger(withPoint ?? withComma)) counts.fractions++
  if (hasLeadingZero(cell)) counts.leadingZeros++
  counts.units.add(unitOf(cell) ?? "")
  return true
}
