import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"
import { DAY_MS, dateStyles, parseDate, type DateStyle } from "./Dates.ts"
import { isMissing, isMissingUnlessText } from "./MissingValues.ts"
import { hasLeadingZero, parseAmount, type Amount, type DecimalMark } from "./Numbers.ts"
import type { Column, DateColumn, NumberColumn, TextColumn } from "./Table.ts"
import { namesUnits } from "./Units.ts"

/** The cells of one column as they are written: each row points into `labels`; code 0 is an empty cell. */
export interface RawColumn {
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly codes: Uint32Array
  /** Numbers have a decimal point, as in JSON. */
  readonly hasDecimalPoints: boolean
}

/** Reads the cells of a column by what nearly all of them are; amounts in several units become two columns. */
export const readColumn = (raw: RawColumn): ReadonlyArray<Column> => {
  const counts = countsOf(raw.codes, raw.labels.length)
  const filled = raw.labels.flatMap((label, i) =>
    (counts[i + 1] ?? 0) > 0 && !isMissingUnlessText(label) ? [{ label, times: counts[i + 1] ?? 0 }] : []
  )
  const present = filled.reduce((sum, { times }) => sum + times, 0)
  const fits = (test: (label: string) => boolean): number =>
    filled.reduce((sum, { label, times }) => (test(label) ? sum + times : sum), 0)
  const isEnough = (count: number): boolean => present > 0 && count >= present * MIN_SHARE
  const [point, comma] = ([".", ","] as const).map((mark) => fits((label) => parseAmount(label, mark) !== undefined))
  const mark = !raw.hasDecimalPoints && (comma ?? 0) > (point ?? 0) ? "," : "."
  if (isEnough(Math.max(point ?? 0, comma ?? 0)) && !filled.some(({ label }) => hasLeadingZero(label)))
    return numberColumns(
      raw,
      filled.map(({ label }) => label),
      mark
    )
  // Few cells of a column of words are dates, so most styles need not be tried.
  const sample = filled.slice(0, 200)
  const mayBeDates = sample.some(({ label }) => dateStyles.some((style) => parseDate(label, style) !== undefined))
  const styles = mayBeDates
    ? dateStyles.map((style) => ({ style, count: fits((label) => parseDate(label, style) !== undefined) }))
    : []
  const best = styles.reduce((one, other) => (other.count > one.count ? other : one), {
    style: dateStyles[0],
    count: 0
  })
  if (best.style !== undefined && isEnough(best.count)) {
    const isAmbiguous =
      best.style === "month/day/year" &&
      styles.some((each) => each.style === "day/month/year" && each.count === best.count)
    return [dateColumn(raw, best.style, isAmbiguous)]
  }
  return [textColumn(raw)]
}

/** A column has a type when this share of its values fits; a note lists the others. */
const MIN_SHARE = 0.95

const countsOf = (codes: Uint32Array, labels: number): Uint32Array => {
  const counts = new Uint32Array(labels + 1)
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

const textColumn = ({ codes, labels, name }: RawColumn): TextColumn => {
  const counts = countsOf(codes, labels.length)
  const kept = labels.flatMap((label, i) => (isMissing(label) || (counts[i + 1] ?? 0) === 0 ? [] : [label]))
  const codeByLabel = new Map(kept.map((label, i) => [label, i + 1]))
  const newCodes = [0, ...labels.map((label) => codeByLabel.get(label) ?? 0)]
  return {
    name,
    kind: "text",
    codes: codes.map((code) => newCodes[code] ?? 0),
    labels: kept,
    names: namesUnits(name, kept),
    notes: []
  }
}

const dateColumn = (raw: RawColumn, style: DateStyle, isAmbiguous: boolean): DateColumn => {
  const { notes, values } = valuesOf(raw, (label) => parseDate(label, style), Language.text("date", "日期"))
  const hasTime = values.some((value) => value % DAY_MS !== 0 && !Number.isNaN(value))
  const reading = isAmbiguous
    ? [Language.text("dates are read as month/day/year, not day/month/year", "日期按月/日/年读取，不是日/月/年")]
    : []
  const zone = raw.labels.some((label) => /:\d{2}\s*[+-](?!00:?00)\d{2}:?\d{2}$/.test(label))
    ? [Language.text("times with a time zone are read in UTC", "带时区的时间按 UTC 读取")]
    : []
  const precision = style === "month" ? "month" : hasTime ? "minute" : "day"
  return { name: raw.name, kind: "date", values, style, precision, notes: [...reading, ...zone, ...notes] }
}

/** The numbers and, where they are in several units, a column of these. */
const numberColumns = (raw: RawColumn, labels: ReadonlyArray<string>, mark: DecimalMark): ReadonlyArray<Column> => {
  const amounts = labels.flatMap((label) => parseAmount(label, mark) ?? [])
  const units = new Set(amounts.map(({ unit }) => unit?.name))
  const { notes, values } = valuesOf(raw, (label) => parseAmount(label, mark)?.value, Language.text("number", "数字"))
  const column: NumberColumn = {
    name: raw.name,
    kind: "number",
    values,
    written: raw,
    unit: units.size === 1 ? amounts.find(({ written }) => written !== "")?.written : undefined,
    isIdentifier: units.has(undefined) && units.size === 1 && identifies(raw.name, values),
    decimalMark: mark,
    unitColumns: [],
    notes: [...markNotes(raw, labels, mark), ...notes]
  }
  return units.size < 2 ? [column] : [column, unitColumn(raw, amounts, mark)]
}

/** The currency or unit of each row: "none" where the number stands alone. */
const unitColumn = (raw: RawColumn, amounts: ReadonlyArray<Amount>, mark: DecimalMark): TextColumn => {
  const noun = amounts.every(({ unit }) => (unit?.noun ?? "currency") === "currency") ? "currency" : "unit"
  const none = Language.text("none", "无")
  const labels = [...new Set(amounts.map(({ unit }) => unit?.name ?? none))]
  const codes = raw.labels.map((label) => {
    const amount = isMissingUnlessText(label) ? undefined : parseAmount(label, mark)
    return amount === undefined ? 0 : labels.indexOf(amount.unit?.name ?? none) + 1
  })
  const suffix = noun === "currency" ? Language.text(" currency", " 币种") : Language.text(" unit", " 单位")
  const column = { ...raw, name: `${raw.name}${suffix}`, labels, codes: raw.codes.map((code) => codes[code - 1] ?? 0) }
  return { ...textColumn(column), names: noun }
}

const valuesOf = (raw: RawColumn, parse: (label: string) => number | undefined, noun: string) => {
  const parsed = raw.labels.map((label) => (isMissingUnlessText(label) ? Number.NaN : (parse(label) ?? undefined)))
  const values = Float64Array.from(raw.codes, (code) => parsed[code - 1] ?? Number.NaN)
  const invalid = raw.codes.filter((code) => code > 0 && parsed[code - 1] === undefined)
  const examples = [...new Set(invalid)].slice(0, 3).map((code) => `“${raw.labels[code - 1]?.slice(0, 30)}”`)
  const notes =
    invalid.length === 0
      ? []
      : [
          Language.text(
            `${Markdown.plural(invalid.length, "value is", "values are")} not a ${noun} and counted as missing (${examples.join(", ")})`,
            `${Markdown.integer(invalid.length)} 个值不是${noun}，按缺失计算（${examples.join("、")}）`
          )
        ]
  return { values, notes }
}

/** How the decimal mark was read, where the other reading is possible or unusual. */
const markNotes = (raw: RawColumn, labels: ReadonlyArray<string>, mark: DecimalMark): ReadonlyArray<string> => {
  if (raw.hasDecimalPoints) return []
  if (mark === ",") return [Language.text("numbers are read with a decimal comma", "数字按小数逗号读取")]
  const comma = labels.map((label) => parseAmount(label, ",")?.value)
  if (comma.includes(undefined) || labels.every((label, i) => parseAmount(label, mark)?.value === comma[i])) return []
  return labels.some((label) => label.includes(","))
    ? [Language.text("a comma is read as thousands separator", "逗号按千位分隔符读取")]
    : [Language.text("a point is read as decimal point", "点按小数点读取")]
}

/** Tells whether whole numbers name rows, as an id or a year does, by the name of their column. */
const identifies = (name: string, values: Float64Array): boolean => {
  const words = wordsOf(name)
  const isNamed = words.some((word) => IDENTIFIER.test(word)) || NUMBERED.test(words.at(-1) ?? "")
  return isNamed && values.every((value) => Number.isNaN(value) || Number.isInteger(value))
}

const IDENTIFIER = /^(?:id|ids|nr|no|key|code|zip|postcode|plz|uuid|phone|telephone|year)$/
const NUMBERED = /^(?:order|number|nummer|index|tel|mobile)$|(?:编号|号码?|电话|手机|邮编|年份?)$/
