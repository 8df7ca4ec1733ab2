import * as Language from "../format/Language.ts"
import { wordsOf } from "../format/Words.ts"
import { hasUnits, headOf, isQuantity } from "./ColumnNames.ts"
import { currencyName } from "./CurrencyNames.ts"
import { hasMixedUnits } from "./Amounts.ts"
import { isMissingUnlessText } from "./MissingValues.ts"
import { isLabel, isNumber, type Column, type LabelColumn, type RowUnits } from "./Table.ts"

/**
 * Gives each column of numbers the currencies or units of its rows, where other columns name several: quantities have
 * units, and all other numbers have currencies. A wrong guess only tells figures apart that could be added.
 */
export const withRowUnits = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const read = columns.map((column) => asUnitColumn(column) ?? column)
  const sources = read.filter((column): column is UnitColumn => isLabel(column) && column.names !== undefined)
  if (sources.length === 0) return columns
  const numbers = read.filter((column) => isNumber(column) && !column.isIdentifier)
  const unitsBySources = new Map<string, RowUnits>()
  return read.map((column) => {
    const isAmount = hasMixedUnits(column) || (isNumber(column) && !column.isIdentifier)
    if (!isAmount || hasOwnUnit(column)) return column
    const used = sourcesFor(column, sources, numbers.length === 1)
    const key = used.map(({ name }) => name).join("\n")
    const rowUnits = unitsBySources.get(key) ?? rowUnitsOf(used)
    if (rowUnits === undefined) return column
    unitsBySources.set(key, rowUnits)
    return { ...column, rowUnits }
  })
}

/** The one name of a currency or unit, as far as it is known: "€" is EUR, and "KG" is kg. */
export const unitName = (names: LabelColumn["names"], text: string): string | undefined =>
  names === "currency" ? currencyName(text) : names === "unit" ? UNITS.get(text.trim().toLowerCase()) : undefined

type UnitColumn = LabelColumn & { readonly names: "currency" | "unit" }

/** A column that names currencies or units, each by its one name; `undefined` for other columns. */
const asUnitColumn = (column: Column): UnitColumn | undefined => {
  if (isLabel(column)) {
    const names = kindOf(column.name, column.labels)
    return column.kind !== "text" || column.amounts !== undefined || names === undefined
      ? undefined
      : renamed(column, column.labels, column.codes, names)
  }
  if (!isNumber(column) || !CURRENCY_NAME.test(headOf(column.name))) return undefined
  const numbers = [...new Set(column.values)].filter((value) => !Number.isNaN(value))
  if (!areMostly(numbers, (value) => currencyName(String(value)) !== undefined)) return undefined
  const codes = Uint32Array.from(column.values, (value) => numbers.indexOf(value) + 1)
  return renamed({ name: column.name, kind: "text", notes: [] }, numbers.map(String), codes, "currency")
}

/** Tells whether a column has a unit that no other column changes: shares, and amounts such as `price_eur`. */
const hasOwnUnit = (column: Column): boolean =>
  (isNumber(column) && column.unit === "%") || currencyName(headOf(column.name)) !== undefined

/** The column with one label for each currency or unit; a note says which labels were understood as another. */
const renamed = (
  column: Pick<LabelColumn, "name" | "kind" | "notes">,
  written: ReadonlyArray<string>,
  writtenCodes: Uint32Array,
  names: UnitColumn["names"]
): UnitColumn => {
  const labels: Array<string> = []
  const codeByName = new Map<string, number>()
  const codes = written.map((text) => {
    if (isMissingUnlessText(text)) return 0
    const name = unitName(names, text) ?? text
    const code = codeByName.get(name.toLowerCase()) ?? labels.push(name)
    codeByName.set(name.toLowerCase(), code)
    return code
  })
  const notes = written.flatMap((text, at) => {
    const label = labels[(codes[at] ?? 0) - 1]
    return label === undefined || text.toLowerCase() === label.toLowerCase()
      ? []
      : [Language.text(`“${text}” is read as ${label}`, `“${text}”按 ${label} 读取`)]
  })
  return {
    ...column,
    names,
    labels,
    codes: writtenCodes.map((code) => (code === 0 ? 0 : (codes[code - 1] ?? 0))),
    notes: [...column.notes, ...notes.slice(0, MAX_NOTES)]
  }
}

const MAX_NOTES = 5

/** A column names currencies by its own name or by what most of its labels are, and units by both. */
const kindOf = (name: string, labels: ReadonlyArray<string>): UnitColumn["names"] | undefined => {
  if (CURRENCY_NAME.test(headOf(name))) return "currency"
  const known = labels.map(currencyName)
  // "Try" and "mad" are codes as well, but also words.
  if (areMostly(known, (code) => code !== undefined) && known.some((code) => MAJOR.test(code ?? ""))) return "currency"
  return UNIT_NAME.test(headOf(name)) && areMostly(labels, (text) => UNITS.has(text.toLowerCase())) ? "unit" : undefined
}

const MAJOR = /^(?:EUR|USD|GBP|JPY|CNY|CHF|INR|[$¥])$/

const areMostly = <A>(values: ReadonlyArray<A>, test: (value: A) => boolean): boolean =>
  values.length > 0 && values.length <= MAX_LABELS && values.filter(test).length * 2 > values.length

/** More different values are no currencies or units. */
const MAX_LABELS = 500

/** The columns that name the units of a column: those with its name, such as `price_currency`, else all of them. */
const sourcesFor = (
  { name }: Column,
  sources: ReadonlyArray<UnitColumn>,
  isOnlyNumber: boolean
): ReadonlyArray<UnitColumn> => {
  const ofKind = (kind: UnitColumn["names"]) => sources.filter(({ names }) => names === kind)
  const isMeasured = isOnlyNumber || hasUnits(name)
  const possible =
    isQuantity(name) || ofKind("currency").length === 0 ? (isMeasured ? ofKind("unit") : []) : ofKind("currency")
  const words = new Set(wordsOf(name))
  const own = possible.filter((source) => {
    const qualifiers = wordsOf(source.name).filter((word) => !UNIT_WORDS.test(word))
    return qualifiers.length > 0 && qualifiers.every((word) => words.has(word))
  })
  return own.length > 0 ? own : possible
}

/** The unit of each row from one column, or from several side by side; `undefined` where there is one unit only. */
const rowUnitsOf = (sources: ReadonlyArray<UnitColumn>): RowUnits | undefined => {
  const [first, ...others] = sources
  if (first === undefined) return undefined
  const base = { noun: first.names, sources: sources.map(({ name }) => name) }
  const labels = ["", ...first.labels]
  if (others.length === 0)
    return labels.length > 2 || first.codes.includes(0) ? { ...base, labels, codes: first.codes } : undefined
  const codeByLabel = new Map<string, number>()
  const codes = first.codes.map((_, row) => {
    const label = sources.map(({ codes, labels }) => labels[(codes[row] ?? 0) - 1] ?? "–").join(" / ")
    const code = codeByLabel.get(label) ?? codeByLabel.size
    codeByLabel.set(label, code)
    return code
  })
  return codeByLabel.size < 2 ? undefined : { ...base, labels: [...codeByLabel.keys()], codes }
}

const CURRENCY_NAME =
  /^(?:currency|currencies|curr|cur|ccy|währung|waehrung|devise|moneda|moeda|valuta|waluta|通貨)$|(?:货币|貨幣|币种|幣別|币别)/
const UNIT_NAME = /^(?:units?|uom|einheit)$|单位$/
const UNIT_WORDS = /^(?:currency|currencies|curr|cur|ccy|units?|uom|code|id|name|symbol|iso|of|measure|measurement)$/

/** Units by the ways in which they are written. */
const UNITS: ReadonlyMap<string, string> = new Map(
  (
    "kg kgs kilogram kilograms 公斤 千克|g gram grams 克|mg|t ton tons tonne tonnes 吨|lb lbs pound pounds 磅|oz ounce ounces|" +
    "km 公里|m metre metres meter meters 米|cm 厘米|mm 毫米|mi mile miles|yd|ft foot feet|in inch inches|m² m2|m³ m3|" +
    "l litre litres liter liters 升|ml 毫升|gal gallon gallons|°C C|°F F|h hour hours 小时|min minute minutes 分钟|" +
    "pcs pc piece pieces ea each 件 个|box boxes 箱"
  )
    .split("|")
    .flatMap((line) => line.split(" ").map((name, _, [first = name]) => [name.toLowerCase(), first] as const))
)
