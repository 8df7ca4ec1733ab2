import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { parseNumber, unitOf } from "./Numbers.ts"
import {
  isNumber,
  valueText,
  type Column,
  type LabelColumn,
  type MixedAmounts,
  type NumberColumn,
  type Rows,
  type RowUnits
} from "./Table.ts"

/** The numbers of a column that are in one currency or unit. */
export interface AmountPart {
  /** The currency or unit in the cells; "" for none. */
  readonly label: string
  /** The one that other columns name for the rows; "" for none, undefined where that is no matter. */
  readonly rowLabel?: string
  readonly column: NumberColumn
  /** The rows with these numbers. */
  readonly rows: Rows
}

/** The numbers of a column, apart by their currencies or units. */
export interface Amounts {
  readonly noun: "currency" | "unit"
  readonly parts: ReadonlyArray<AmountPart>
}

/** A column whose words are amounts of several units. */
export type AmountColumn = LabelColumn & { readonly amounts: MixedAmounts }

/** Tells whether the words of a column are amounts of several units. */
export const hasMixedUnits = (column: Column | undefined): column is AmountColumn =>
  column !== undefined && "amounts" in column && column.amounts !== undefined

/**
 * The numbers of some rows by their currencies or units, which can be neither added up nor compared. Undefined for a
 * column of plain numbers, and where these rows have one currency or unit at most.
 */
export const amountsOf = (column: Column | undefined, rows: Rows): Amounts | undefined => {
  if (column === undefined) return undefined
  if (hasMixedUnits(column)) {
    const parts = partsInCells(column, rows).flatMap((part) => partsByRow(part, column.rowUnits))
    return { noun: column.amounts.units.includes("%") ? "unit" : "currency", parts }
  }
  if (!isNumber(column) || column.rowUnits === undefined) return undefined
  const present = rows.filter((row) => !Number.isNaN(column.values[row] ?? Number.NaN))
  const parts = partsByRow({ label: "", column, rows: present }, column.rowUnits)
  return parts.length < 2 ? undefined : { noun: column.rowUnits.noun, parts }
}

/** A part by the currencies of its rows; the same part where they have one. */
const partsByRow = (part: AmountPart, rowUnits: RowUnits | undefined): ReadonlyArray<AmountPart> => {
  if (rowUnits === undefined) return [part]
  const parts = partsBy(part.rows, (row) => rowUnits.codes[row])
  if (parts.length < 2) return [part]
  return (
    parts
      .map(({ key, rows }) => ({ ...part, rowLabel: rowUnits.labels[key] ?? "", rows }))
      // What has no currency comes last.
      .sort((a, b) => Number(a.rowLabel === "") - Number(b.rowLabel === ""))
  )
}

/** The name of a currency or unit, as a heading. */
export const partName = ({ noun }: Amounts, { label, rowLabel = "" }: AmountPart): string =>
  [label, rowLabel]
    .filter((each) => each !== "")
    .map((each) => Markdown.escapeText(each))
    .join(" ") || (noun === "currency" ? Language.text("no currency", "无货币") : Language.text("no unit", "无单位"))

/** A value in bold, with its currency or unit where the value itself does not have it. */
export const partText = (amounts: Amounts, part: AmountPart, value: number): string => {
  const text = `**${valueText(part.column, value)}**`
  if (part.column.unit !== undefined && part.rowLabel === undefined) return text
  const name = partName(amounts, { ...part, label: "" })
  return Language.text(`${text} (${name})`, `${text}（${name}）`)
}

/** Says that the numbers of these columns can be neither added up nor compared, and how to ask for some of them. */
export const mixtureText = (columns: ReadonlyArray<Column>, amounts: Amounts): string => {
  const shown = amounts.parts.slice(0, MAX_NAMES).map((part) => partName(amounts, part))
  const more = amounts.parts.length - shown.length
  const [names, list] = [
    Markdown.joinWords(columns.map(({ name }) => Markdown.bold(name))),
    Markdown.joinWords(more > 0 ? [...shown, Language.text(`${more} more`, `另外 ${more} 种`)] : shown)
  ]
  const isOne = columns.length === 1
  const nouns = amounts.noun === "currency" ? "currencies" : "units"
  const chinese = amounts.noun === "currency" ? "货币" : "单位"
  const example = exampleOf(columns[0], amounts)
  return Language.text(
    `${names} ${isOne ? "is" : "are"} in several ${nouns} (${list}), which can be neither added up nor compared.${example === undefined ? "" : ` Ask for one, such as “only rows where ${example[0]} is ${example[1]}”.`}`,
    `${names} 含多种${chinese}（${list}），不能相加，也不能比较。${example === undefined ? "" : `请只看一种，例如“只看 ${example[0]} 为 ${example[1]} 的行”。`}`
  )
}

const MAX_NAMES = 6

/** The column and the label that pick one currency or unit. */
const exampleOf = (column: Column | undefined, { parts }: Amounts): readonly [string, string] | undefined => {
  if (column === undefined || !isNumber(column) || column.rowUnits?.sources.length !== 1) return undefined
  const label = parts.find(({ rowLabel = "" }) => rowLabel !== "")?.rowLabel
  return label === undefined
    ? undefined
    : [Markdown.escapeText(column.rowUnits.sources[0] ?? ""), Markdown.escapeText(label)]
}

const partsInCells = ({ amounts, codes, labels, name }: AmountColumn, rows: Rows): ReadonlyArray<AmountPart> => {
  const parsed = labels.map((label) => ({ unit: unitOf(label), value: parseNumber(label, amounts.decimalMark) }))
  const column: NumberColumn = {
    name,
    kind: "number",
    values: Float64Array.from(codes, (code) => parsed[code - 1]?.value ?? Number.NaN),
    isIdentifier: false,
    decimalMark: amounts.decimalMark,
    dateStyle: "iso",
    hasTimeOfDay: false,
    notes: []
  }
  const parts = partsBy(rows, (row) => {
    const cell = parsed[(codes[row] ?? 0) - 1]
    return cell?.value === undefined ? undefined : amounts.units.indexOf(cell.unit)
  })
  return parts.map(({ key, rows }) => {
    const unit = amounts.units[key]
    return { label: unit ?? "", column: { ...column, unit }, rows }
  })
}

/** Rows by a number from 0, in the order of the numbers; without the rows that have none. */
const partsBy = (
  rows: Rows,
  keyOf: (row: number) => number | undefined
): ReadonlyArray<{ readonly key: number; readonly rows: Rows }> => {
  const rowsByKey = new Map<number, Array<number>>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key === undefined) continue
    const part = rowsByKey.get(key)
    if (part === undefined) rowsByKey.set(key, [row])
    else part.push(row)
  }
  return [...rowsByKey].map(([key, part]) => ({ key, rows: Uint32Array.from(part) })).sort((a, b) => a.key - b.key)
}
