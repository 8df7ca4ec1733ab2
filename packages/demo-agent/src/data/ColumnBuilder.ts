import * as Markdown from "../format/Markdown.ts"
import { isLabelType, type ColumnType, type DateType, type LabelType, type NumberType } from "./ColumnType.ts"
import { parseDate, type DateStyle } from "./Dates.ts"
import { isMissing, isMissingInTyped } from "./MissingValues.ts"
import { parseNumber } from "./Numbers.ts"
import type { Column } from "./Table.ts"

/** Fills one column row by row. */
export interface ColumnBuilder {
  readonly put: (row: number, cell: string) => void
  readonly build: () => Column
}

/** Makes the builder of a column with this many rows. */
export const columnBuilder = (name: string, type: ColumnType, rowCount: number): ColumnBuilder =>
  isLabelType(type) ? labelBuilder(name, type, rowCount) : numericBuilder(name, type, rowCount)

const numericBuilder = (name: string, type: NumberType | DateType, rowCount: number): ColumnBuilder => {
  const values = new Float64Array(rowCount)
  const misfits: Array<string> = []
  let misfitCount = 0
  const parse =
    type.kind === "date"
      ? (cell: string) => parseDate(cell, type.style)
      : (cell: string) => parseNumber(cell, type.mark)
  return {
    put: (row, cell) => {
      values[row] = Number.NaN
      if (isMissingInTyped(cell)) return
      const value = parse(cell)
      if (value !== undefined) {
        values[row] = value
        return
      }
      misfitCount++
      if (misfits.length < 3) misfits.push(cell.trim().slice(0, 30))
    },
    build: () => {
      const notes = [...notationNotes(type), ...misfitNotes(type.kind, misfitCount, misfits)]
      if (type.kind === "date") {
        const timed = values.some((value) => value % 86_400_000 !== 0 && !Number.isNaN(value))
        return { name, kind: "date", values, decimalMark: ".", dateStyle: type.style, timed, notes }
      }
      const whole = values.every((value) => Number.isNaN(value) || Number.isInteger(value))
      const kind = whole ? "integer" : "number"
      return { name, kind, values, unit: type.unit, decimalMark: type.mark, dateStyle: "iso", timed: false, notes }
    }
  }
}

const labelBuilder = (name: string, { kind }: LabelType, rowCount: number): ColumnBuilder => {
  const codes = new Uint32Array(rowCount)
  const labels: Array<string> = []
  const known = new Map<string, number>()
  const hasNoValue = kind === "text" ? isMissing : isMissingInTyped
  return {
    put: (row, cell) => {
      if (hasNoValue(cell)) return
      const label = cell.trim()
      let code = known.get(label)
      if (code === undefined) {
        code = labels.push(label)
        known.set(label, code)
      }
      codes[row] = code
    },
    build: () => ({ name, kind, codes, labels, notes: [] })
  }
}

/** How the values were read, where they could be read differently. */
const notationNotes = (type: NumberType | DateType): ReadonlyArray<string> => {
  if (type.kind === "date") {
    if (type.ambiguous) return ["dates are read as month/day/year; every one of them would also fit day/month/year"]
    return type.style === "iso" ? [] : [`dates are read as ${STYLE[type.style]}`]
  }
  return [
    ...(type.mark === "," ? ["numbers are read with a decimal comma"] : []),
    ...(type.ambiguous ? ["a comma is read as thousands separator"] : [])
  ]
}

const misfitNotes = (kind: ColumnType["kind"], count: number, examples: ReadonlyArray<string>): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        `${Markdown.plural(count, "value is", "values are")} not a ${kind === "date" ? "date" : "number"} and counted as missing (${examples.map((example) => `“${example}”`).join(", ")})`
      ]

const STYLE: Record<DateStyle, string> = {
  iso: "year-month-day",
  "day.month.year": "day.month.year",
  "day/month/year": "day/month/year",
  "month/day/year": "month/day/year",
  named: "named months"
}
