import { DAY_MS } from "../data/Dates.ts"
import type { LabelSummary, NumberSummary } from "../data/Statistics.ts"
import { isDate, isIdentifier, isLabel, valueText, type DateColumn, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { mixtureNotes } from "./AmountAnswer.ts"
import { kindName, measuredProfiles, outlierSentence, profileColumn, type MeasuredProfile } from "./TableProfile.ts"

/** Describes the values of one column. */
export const describeColumn = (table: Table, rows: Rows, index: number): ReadonlyArray<string> => {
  const column = table.columns[index]
  if (column === undefined) return []
  const profile = profileColumn(column, rows)
  const { summary } = profile
  const name = Markdown.bold(column.name)
  const [present, missing, distinct] = [summary.present, summary.missing, summary.distinct].map(Markdown.integer)
  const opening = Language.text(
    `${name} holds ${column.kind === "empty" ? "nothing" : `${column.kind} values`}: ${present} present, ${missing} missing, ${distinct} different.`,
    `${name} ${column.kind === "empty" ? "没有值" : `的值是${kindName(column)}`}：有值 ${present} 个，缺失 ${missing} 个，不同的值 ${distinct} 个。`
  )
  const notes = column.notes.map((note) =>
    Language.text(`Note: ${Markdown.escapeQuoted(note)}.`, `注意：${Markdown.escapeQuoted(note)}。`)
  )
  if ("topLabels" in summary) return [opening, ...frequencyTable(summary), ...notes]
  if (summary.present === 0 || isLabel(column)) return [opening, ...notes]
  if (isIdentifier(column)) {
    const [min, max] = [valueText(column, summary.min), valueText(column, summary.max)]
    return [opening, Language.text(`From ${min} to ${max}.`, `从 ${min} 到 ${max}。`), ...notes]
  }
  const measured = measuredProfiles(profile)
  return [
    opening,
    ...mixtureNotes(rows, [column]),
    ...(isDate(column) ? [dateRange(column, summary)] : numberFigures(measured)),
    ...notes
  ]
}

const frequencyTable = ({ present, topLabels }: LabelSummary): ReadonlyArray<string> => {
  const body = topLabels.map(([label, times]) => [
    Markdown.escapeText(label),
    Markdown.integer(times),
    Markdown.percent(times, present)
  ])
  return body.length === 0 ? [] : [Markdown.table(Language.pick(FREQUENCY_HEADER), body)]
}

const FREQUENCY_HEADER = { english: ["Value", "Rows", "Share"], chinese: ["值", "行数", "占比"] }

const dateRange = ({ hasTimeOfDay }: DateColumn, { max, median, min }: NumberSummary): string => {
  const days = Math.round((max - min) / DAY_MS)
  const [from, until, middle] = [min, max, median].map((value) => Markdown.date(value, hasTimeOfDay))
  return Language.text(
    `From ${from} to ${until} (${Markdown.plural(days, "day")}), the middle one is ${middle}.`,
    `从 ${from} 到 ${until}（${Markdown.integer(days)} 天），中间的是 ${middle}。`
  )
}

/** The figures of a column, or those of its parts side by side. */
const numberFigures = (measured: ReadonlyArray<MeasuredProfile>): ReadonlyArray<string> => {
  const shown = measured.slice(0, MAX_PARTS)
  const figures = (name: string, figure: (summary: NumberSummary) => number): ReadonlyArray<string> => [
    name,
    ...shown.map(({ column, summary }) => Markdown.number(figure(summary), column.unit))
  ]
  const names =
    measured.length === 1 ? [Language.text("Value", "值")] : shown.map(({ name }) => Markdown.escapeText(name))
  const table = Markdown.table(
    [Language.text("Figure", "统计"), ...names],
    [
      figures(Language.text("Minimum", "最小值"), ({ min }) => min),
      figures(Language.text("First quartile", "第一四分位数"), ({ firstQuartile }) => firstQuartile),
      figures(Language.text("Median", "中位数"), ({ median }) => median),
      figures(Language.text("Mean", "平均值"), ({ mean }) => mean),
      figures(Language.text("Third quartile", "第三四分位数"), ({ thirdQuartile }) => thirdQuartile),
      figures(Language.text("Maximum", "最大值"), ({ max }) => max),
      figures(Language.text("Standard deviation", "标准差"), ({ standardDeviation }) => standardDeviation),
      figures(Language.text("Sum", "总和"), ({ sum }) => sum)
    ]
  )
  const omitted = measured.length - shown.length
  const outliers = measured.filter(({ summary }) => summary.outliers.count > 0).map(outlierSentence)
  return [
    table,
    ...(omitted > 0 ? [Language.text(`_${omitted} more left out._`, `_另有 ${omitted} 种未列出。_`)] : []),
    ...(outliers.length > 0
      ? outliers
      : [
          Language.text("No outliers by the rule of 1.5 interquartile ranges.", "按 1.5 倍四分位距的规则，没有异常值。")
        ])
  ]
}

const MAX_PARTS = 5
