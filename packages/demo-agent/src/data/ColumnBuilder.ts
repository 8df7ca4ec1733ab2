import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { isLabelType, type ColumnType, type DateType, type LabelType, type NumberType } from "./ColumnType.ts"
import { DAY_MS, parseDate, type DateStyle } from "./Dates.ts"
import { identifies } from "./Identifiers.ts"
import { isMissing, isMissingUnlessText } from "./MissingValues.ts"
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
  const invalidExamples: Array<string> = []
  let invalidCount = 0
  const parse =
    type.kind === "date"
      ? (cell: string) => parseDate(cell, type.style)
      : (cell: string) => parseNumber(cell, type.decimalMark)
  return {
    put: (row, cell) => {
      values[row] = Number.NaN
      if (isMissingUnlessText(cell)) return
      const value = parse(cell)
      if (value !== undefined) {
        values[row] = value
        return
      }
      invalidCount++
      if (invalidExamples.length < 3) invalidExamples.push(cell.trim().slice(0, 30))
    },
    build: () => {
      const notes = [...notationNotes(type), ...invalidValueNotes(type.kind, invalidCount, invalidExamples)]
      if (type.kind === "date") {
        const hasTimeOfDay = values.some((value) => value % DAY_MS !== 0 && !Number.isNaN(value))
        return { name, kind: "date", values, decimalMark: ".", dateStyle: type.style, hasTimeOfDay, notes }
      }
      const isInteger = values.every((value) => Number.isNaN(value) || Number.isInteger(value))
      const kind = isInteger ? "integer" : "number"
      return {
        name,
        kind,
        values,
        isIdentifier: isInteger && type.unit === undefined && identifies(name, values),
        unit: type.unit,
        decimalMark: type.decimalMark,
        dateStyle: "iso",
        hasTimeOfDay: false,
        notes
      }
    }
  }
}

const labelBuilder = (name: string, { amounts, kind }: LabelType, rowCount: number): ColumnBuilder => {
  const codes = new Uint32Array(rowCount)
  const labels: Array<string> = []
  const codeByLabel = new Map<string, number>()
  const units = Markdown.joinWords(amounts?.units.filter((unit) => unit !== undefined) ?? [])
  const notes =
    amounts === undefined
      ? []
      : [Language.text(`amounts in ${units} cannot be added up or compared`, `以 ${units} 为单位的金额不能相加或比较`)]
  const isMissingValue = kind === "text" ? isMissing : isMissingUnlessText
  return {
    put: (row, cell) => {
      if (isMissingValue(cell)) return
      const label = cell.trim()
      let code = codeByLabel.get(label)
      if (code === undefined) {
        code = labels.push(label)
        codeByLabel.set(label, code)
      }
      codes[row] = code
    },
    build: () => ({ name, kind, codes, labels, amounts, notes })
  }
}

/** How the values were read, where another reading is possible. */
const notationNotes = (type: NumberType | DateType): ReadonlyArray<string> => {
  if (type.kind === "date") {
    if (type.isAmbiguous)
      return [
        Language.text(
          "dates are read as month/day/year; every one of them would also fit day/month/year",
          "日期按月/日/年读取；每个日期也都符合日/月/年"
        )
      ]
    return type.style === "iso"
      ? []
      : [Language.text(`dates are read as ${STYLE_NAMES[type.style]}`, `日期按${CHINESE_STYLES[type.style]}读取`)]
  }
  return [
    ...(type.isYuan ? [Language.text("“¥” is read as CNY, as other values say", "“¥”按 CNY 读取，与其他值相同")] : []),
    ...(type.decimalMark === "," ? [Language.text("numbers are read with a decimal comma", "数字按小数逗号读取")] : []),
    ...(type.doubt === ","
      ? [Language.text("a comma is read as thousands separator", "逗号按千位分隔符读取")]
      : type.doubt === "."
        ? [
            Language.text(
              "a point is read as decimal mark; it could also separate thousands",
              "点按小数点读取；它也可能是千位分隔符"
            )
          ]
        : []),
    ...(type.partialUnit === undefined
      ? []
      : [
          Language.text(
            `only some values have “${type.partialUnit}”, so I show none`,
            `只有部分值带“${type.partialUnit}”，所以都不显示单位`
          )
        ])
  ]
}

const invalidValueNotes = (
  kind: ColumnType["kind"],
  count: number,
  examples: ReadonlyArray<string>
): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        Language.text(
          `${Markdown.plural(count, "value is", "values are")} not a ${kind === "date" ? "date" : "number"} and counted as missing (${examples.map((example) => `“${example}”`).join(", ")})`,
          `${Markdown.integer(count)} 个值不是${kind === "date" ? "日期" : "数字"}，按缺失计算（${examples.map((example) => `“${example}”`).join("、")}）`
        )
      ]

const CHINESE_STYLES: Record<DateStyle, string> = {
  iso: "年-月-日",
  "day.month.year": "日.月.年",
  "day/month/year": "日/月/年",
  "month/day/year": "月/日/年",
  named: "英文月份"
}

const STYLE_NAMES: Record<DateStyle, string> = {
  iso: "year-month-day",
  "day.month.year": "day.month.year",
  "day/month/year": "day/month/year",
  "month/day/year": "month/day/year",
  named: "named months"
}
