import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { unitOf } from "./Numbers.ts"
import {
  isLabel,
  isNumber,
  labelAt,
  type Column,
  type LabelColumn,
  type NumberColumn,
  type Rows,
  type Table
} from "./Table.ts"

/**
 * The amounts of a column by the currencies that another column names: for each a column of numbers, in which the others
 * are missing. Undefined where these rows have one currency at most.
 */
export const columnsByCurrency = (
  table: Table,
  rows: Rows,
  column: Column | undefined
): ReadonlyArray<NumberColumn> | undefined => {
  const currencies = table.columns.find(isCurrency)
  if (currencies === undefined || column === undefined || !isAmount(table, column)) return undefined
  const valueRows = [...rows].filter((row) => !Number.isNaN(column.values[row] ?? Number.NaN))
  const names = [...new Set(valueRows.map((row) => labelAt(currencies, row)))]
  if (names.length < 2) return undefined
  return names.map((name): NumberColumn => ({
    ...column,
    unit: name === "" ? undefined : (unitOf(`1 ${name}`) ?? name),
    values: column.values.map((value, row) => (labelAt(currencies, row) === name ? value : Number.NaN))
  }))
}

/** Says of each of these columns whose amounts are in several currencies that its figures mix them. */
export const mixtureNotes = (
  table: Table,
  rows: Rows,
  columns: ReadonlyArray<Column | undefined> = table.columns
): ReadonlyArray<string> =>
  columns.flatMap((column) => {
    const units = columnsByCurrency(table, rows, column)?.map(({ unit }) => unit ?? Language.text("none", "无")) ?? []
    if (column === undefined || units.length === 0) return []
    const example = Markdown.escapeText(table.columns.find(isCurrency)?.labels[0] ?? "")
    const [name, list] = [
      Markdown.bold(column.name),
      Markdown.joinWords(units.map((unit) => Markdown.escapeText(unit)))
    ]
    return [
      Language.text(
        `${name} is in several currencies (${list}): a figure, an order or a chart over all of them mixes them. Ask for one, such as “only ${example}”.`,
        `${name} 含多种货币（${list}）：对全部行的统计、排序或画图会把它们混在一起。请只看一种，例如“只看 ${example}”。`
      )
    ]
  })

/** Tells whether a column names currencies, by its own name or by its values. */
const isCurrency = (column: Column): column is LabelColumn => {
  if (!isLabel(column) || column.labels.length < 2 || column.labels.length > 40) return false
  return CURRENCY_NAME.test(column.name.trim()) || column.labels.every((label) => isCode(label.trim()))
}

const isCode = (label: string): boolean => CODES.has(label.toUpperCase()) || /^[$€£¥₹₽₩]$/.test(label)

/** Numbers with a currency of their own are no matter of the other column. */
const isAmount = (table: Table, column: Column): column is NumberColumn => {
  const isPossible = (each: Column) => isNumber(each) && !each.isIdentifier && each.unit === undefined
  return isPossible(column) && (AMOUNT_NAME.test(column.name) || table.columns.filter(isPossible).length === 1)
}

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))

const CURRENCY_NAME = /^(?:.*[\s_-])?(?:currency|curr|ccy|währung)(?:[\s_-]?(?:code|id|name))?$|货币|币种/i

const AMOUNT_NAME =
  /amount|price|value|total|cost|revenue|sales|turnover|fee|paid|payment|salary|budget|balance|betrag|preis|umsatz|kosten|金额|价|额|收入|费|成本|薪/i
