import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as TableWidth from "../format/TableWidth.ts"
import { summariseLabels, summariseNumbers, type LabelSummary, type NumberSummary } from "../data/Statistics.ts"
import { amountsOf, partName, type Amounts } from "../data/Amounts.ts"
import {
  isLabel,
  isNumber,
  valueText,
  type Column,
  type LabelColumn,
  type NumberColumn,
  type NumericColumn,
  type Rows,
  type Table
} from "../data/Table.ts"

/** One column with its figures over the chosen rows. */
export type ColumnProfile =
  | { readonly column: NumericColumn; readonly summary: NumberSummary; readonly amounts?: Amounts | undefined }
  | { readonly column: LabelColumn; readonly summary: LabelSummary; readonly amounts?: Amounts | undefined }

/** Numbers that can be compared with each other: a column, or the part of it in one currency or unit. */
export interface MeasuredProfile {
  /** The name of the column, with the currency or unit of a part. */
  readonly name: string
  readonly column: NumberColumn
  readonly summary: NumberSummary
}

const MAX_COLUMNS = 20

/** Measures every column over some rows; yields between columns and stops when the signal aborts. */
export const profileColumns = async (
  table: Table,
  rows: Rows,
  signal: AbortSignal
): Promise<ReadonlyArray<ColumnProfile>> => {
  const profiles: Array<ColumnProfile> = []
  for (const column of table.columns) {
    signal.throwIfAborted()
    profiles.push(profileColumn(column, rows))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return profiles
}

/** Measures one column over some rows. */
export const profileColumn = (column: Column, rows: Rows): ColumnProfile => {
  const amounts = amountsOf(column, rows)
  return isLabel(column)
    ? { column, summary: summariseLabels(column, rows, 10), amounts }
    : { column, summary: summariseNumbers(column, rows), amounts }
}

/** The numbers of a column that measure something, apart by their currencies or units. */
export const measuredProfiles = ({ amounts, column, summary }: ColumnProfile): ReadonlyArray<MeasuredProfile> => {
  if (amounts !== undefined)
    return amounts.parts.map((part) => ({
      name: `${column.name} (${partName(amounts, part)})`,
      column: part.column,
      summary: summariseNumbers(part.column, part.rows)
    }))
  return isNumber(column) && !column.isIdentifier && "mean" in summary ? [{ name: column.name, column, summary }] : []
}

/** The columns as a Markdown table: range or most frequent values. */
export const columnTable = (profiles: ReadonlyArray<ColumnProfile>): string =>
  narrowTable(
    Language.pick({ english: ["Column", "Values"], chinese: ["列", "值"] }),
    profiles.map((profile) => [profile.column.name, valuesText(profile)]),
    MAX_COLUMNS
  )

/** The columns as a Markdown table: type and number of different values. */
export const typeTable = (profiles: ReadonlyArray<ColumnProfile>): string =>
  narrowTable(
    Language.pick({ english: ["Column", "Type", "Distinct"], chinese: ["列", "类型", "不同的值"] }),
    profiles.map(({ column, summary }) => [column.name, typeName(column), Markdown.integer(summary.distinct)]),
    40
  )

/** The figures of the numeric columns without identifiers as a Markdown table; `undefined` when there are none. */
export const numberTable = (profiles: ReadonlyArray<ColumnProfile>, limit = MAX_COLUMNS): string | undefined => {
  const rows = profiles
    .flatMap(measuredProfiles)
    .filter(({ summary }) => summary.present > 0)
    .map(({ column: { unit }, name, summary: { mean, median } }) => [
      name,
      Markdown.number(median, unit),
      Markdown.number(mean, unit)
    ])
  return rows.length === 0
    ? undefined
    : narrowTable(
        Language.pick({ english: ["Column", "Median", "Mean"], chinese: ["列", "中位数", "平均值"] }),
        rows,
        limit
      )
}

/** A table whose first cells are names, which are cut to the width that the others leave. */
const narrowTable = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  limit: number
): string => {
  const shown = rows.slice(0, limit)
  const body = TableWidth.fitFirst(header, shown, TableWidth.fitMiddle)
  const omitted = rows.length - shown.length
  const note =
    omitted > 0
      ? `\n\n${Language.text(`_${Markdown.plural(omitted, "more column")} left out here._`, `_这里另有 ${omitted} 列未列出。_`)}`
      : ""
  return Markdown.table(header, body) + note
}

/** What deserves attention in the data, one sentence each, the file as a whole first. */
export const listFindings = (table: Table, profiles: ReadonlyArray<ColumnProfile>): ReadonlyArray<string> => {
  const sentences: Array<string> = [...table.notes]
  if (table.duplicateRows > 0)
    sentences.push(
      Language.text(
        `${Markdown.plural(table.duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly.`,
        `${Markdown.integer(table.duplicateRows)} 行与前面的行完全相同。`
      )
    )
  for (const profile of profiles) {
    const { column, summary } = profile
    const name = Markdown.bold(column.name)
    const total = summary.missing + summary.present
    if (summary.present === 0 && total > 0)
      sentences.push(Language.text(`${name} has no values at all.`, `${name} 完全没有值。`))
    else if (summary.missing > 0)
      sentences.push(
        Language.text(
          `${name} is missing in ${Markdown.plural(summary.missing, "row")} (${Markdown.percent(summary.missing, total)}).`,
          `${name} 在 ${Markdown.integer(summary.missing)} 行里缺失（${Markdown.percent(summary.missing, total)}）。`
        )
      )
    for (const note of column.notes)
      sentences.push(
        Language.text(`${name}: ${Markdown.escapeQuoted(note)}.`, `${name}：${Markdown.escapeQuoted(note)}。`)
      )
    if (summary.present > 1 && summary.distinct === 1)
      sentences.push(
        Language.text(`${name} has the same value in every row that has one.`, `${name} 在有值的每一行里都相同。`)
      )
    for (const measured of measuredProfiles(profile))
      if (measured.summary.outliers.count > 0) sentences.push(outlierSentence(measured))
  }
  return sentences
}

/** The outliers of one column in a sentence, with the rule. */
export const outlierSentence = ({ column: { unit }, name: plainName, summary }: MeasuredProfile): string => {
  const { outliers } = summary
  const name = Markdown.bold(plainName)
  const examples = outliers.examples.map((n) => Markdown.number(n, unit)).join(", ")
  const share = Markdown.percent(outliers.count, summary.present)
  const [low, high] = [Markdown.number(outliers.lowerBound, unit), Markdown.number(outliers.upperBound, unit)]
  return Language.text(
    `${name} has ${Markdown.plural(outliers.count, "outlier")} (${share}) outside ${low} to ${high} (1.5 interquartile ranges), for example ${examples}.`,
    `${name} 有 ${Markdown.integer(outliers.count)} 个异常值（${share}），在 ${low} 到 ${high} 之外（1.5 倍四分位距），例如 ${examples}。`
  )
}

/** A column type as a reader would say it. */
const typeName = (column: Column): string => {
  const unit = isNumber(column) && column.unit !== undefined ? ` (${Markdown.escapeText(column.unit)})` : ""
  return kindName(column) + unit
}

/** The kind of a column's values in words. */
export const kindName = (column: Column): string =>
  column.kind === "date" && column.hasTimeOfDay
    ? Language.text("date and time", "日期和时间")
    : Language.text(column.kind, CHINESE_KINDS[column.kind])

const CHINESE_KINDS: Readonly<Record<Column["kind"], string>> = {
  empty: "空",
  text: "文字",
  boolean: "是否",
  integer: "整数",
  number: "数字",
  date: "日期"
}

const valuesText = ({ amounts, column, summary }: ColumnProfile): string => {
  if (summary.present === 0) return "–"
  if (amounts !== undefined && isNumber(column))
    return amounts.noun === "currency"
      ? Language.text(`in ${amounts.parts.length} currencies`, `${amounts.parts.length} 种货币`)
      : Language.text(`in ${amounts.parts.length} units`, `${amounts.parts.length} 种单位`)
  if (!("topLabels" in summary))
    return isLabel(column)
      ? ""
      : [valueText(column, summary.min), valueText(column, summary.max)].join(Language.text(" to ", " 到 "))
  if (summary.distinct === summary.present && summary.present > 5) return Language.text("all different", "各不相同")
  const shown: Array<string> = []
  for (const [label, times] of summary.topLabels) {
    const entry = `${Markdown.escapeText(label, 16)} (${Markdown.integer(times)})`
    if (shown.length > 0 && [...shown, entry].join(", ").length > 22) break
    shown.push(entry)
  }
  return shown.join(", ") + (shown.length < summary.distinct ? ", …" : "")
}
