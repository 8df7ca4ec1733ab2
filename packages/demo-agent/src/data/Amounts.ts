import { parseNumber, unitOf } from "./Numbers.ts"
import type { Column, LabelColumn, MixedAmounts, NumberColumn } from "./Table.ts"

/** A column whose values are amounts of several units. */
export type AmountColumn = LabelColumn & { readonly amounts: MixedAmounts }

/** Tells whether a column holds amounts of several units. */
export const hasMixedUnits = (column: Column | undefined): column is AmountColumn =>
  column !== undefined && "amounts" in column && column.amounts !== undefined

/** The amounts of a column by their units: for each a column of numbers, in which the others are missing. */
export const columnsByUnit = ({ amounts, codes, labels, name }: AmountColumn): ReadonlyArray<NumberColumn> => {
  const parsed = labels.map((label) => ({ unit: unitOf(label), value: parseNumber(label, amounts.decimalMark) }))
  return amounts.units.map((unit): NumberColumn => {
    const valueByCode = [
      Number.NaN,
      ...parsed.map((each) => (each.unit === unit ? (each.value ?? Number.NaN) : Number.NaN))
    ]
    return {
      name,
      kind: "number",
      values: Float64Array.from(codes, (code) => valueByCode[code] ?? Number.NaN),
      isIdentifier: false,
      unit,
      decimalMark: amounts.decimalMark,
      dateStyle: "iso",
      hasTimeOfDay: false,
      notes: []
    }
  })
}
