import * as Markdown from "../format/Markdown.ts"
import { summariseLabels, summariseNumbers, type LabelSummary, type NumberSummary } from "../data/Statistics.ts"
import { isIdentifier, isLabel, isNumber, valueText, type Column, type Rows, type Table } from "../data/Table.ts"

/** One column with its figures over the chosen rows. */
export type ColumnProfile =
  | { readonly column: Extract<Column, { readonly values: Float64Array }>; readonly summary: NumberSummary }
  | { readonly column: Extract<Column, { readonly codes: Uint32Array }>; readonly summary: LabelSummary }

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
export const profileColumn = (column: Column, rows: Rows): ColumnProfile =>
  isLabel(column)
    ? { column, summary: summariseLabels(column, rows, 10) }
    : { column, summary: summariseNumbers(column, rows) }

/** The columns as a Markdown table: type, missing, distinct, range or most frequent values. */
export const columnTable = (profiles: ReadonlyArray<ColumnProfile>, limit = MAX_COLUMNS): string => {
  const rows = profiles.slice(0, limit).map((profile) => {
    const { column, summary } = profile
    return [
      Markdown.escapeText(column.name),
      typeName(column),
      missingText(summary.missing, summary.missing + summary.present),
      Markdown.integer(summary.distinct),
      valuesText(profile)
    ]
  })
  const omittedCount = profiles.length - limit
  const omissionNote = omittedCount > 0 ? `\n\n_${Markdown.plural(omittedCount, "more column")} left out here._` : ""
  return Markdown.table(["Column", "Type", "Missing", "Distinct", "Values"], rows) + omissionNote
}

/** The figures of the numeric columns without identifiers as a Markdown table; `undefined` when there are none. */
export const numberTable = (profiles: ReadonlyArray<ColumnProfile>, limit = MAX_COLUMNS): string | undefined => {
  const numeric = profiles.flatMap((profile) =>
    isNumber(profile.column) && !profile.column.isIdentifier && profile.summary.present > 0 ? [profile] : []
  )
  if (numeric.length === 0) return undefined
  const rows = numeric.slice(0, limit).map((profile) => {
    const summary = profile.summary
    const unit = isNumber(profile.column) ? profile.column.unit : undefined
    if (!("mean" in summary)) return []
    return [
      Markdown.escapeText(profile.column.name),
      ...[summary.min, summary.median, summary.mean, summary.max, summary.standardDeviation].map((n) =>
        Markdown.number(n, unit)
      )
    ]
  })
  const omittedCount = numeric.length - limit
  const omissionNote =
    omittedCount > 0 ? `\n\n_${Markdown.plural(omittedCount, "more numeric column")} left out here._` : ""
  return Markdown.table(["Column", "Min", "Median", "Mean", "Max", "SD"], rows) + omissionNote
}

/** What deserves attention in the data, one sentence each, the file as a whole first. */
export const listFindings = (table: Table, profiles: ReadonlyArray<ColumnProfile>): ReadonlyArray<string> => {
  const sentences: Array<string> = [...table.notes]
  if (table.duplicateRows > 0)
    sentences.push(
      `${Markdown.plural(table.duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly.`
    )
  for (const { column, summary } of profiles) {
    const name = Markdown.bold(column.name)
    const total = summary.missing + summary.present
    if (summary.present === 0 && total > 0) sentences.push(`${name} has no values at all.`)
    else if (summary.missing > 0)
      sentences.push(
        `${name} is missing in ${Markdown.plural(summary.missing, "row")} (${Markdown.percent(summary.missing, total)}).`
      )
    for (const note of column.notes) sentences.push(`${name}: ${Markdown.escapeQuoted(note)}.`)
    if (summary.present > 1 && summary.distinct === 1)
      sentences.push(`${name} has the same value in every row that has one.`)
    if ("outliers" in summary && isNumber(column) && summary.outliers.count > 0 && !isIdentifier(column))
      sentences.push(outlierSentence(name, column.unit, summary))
  }
  return sentences
}

/** The outliers of one column in a sentence, with the rule. */
export const outlierSentence = (name: string, unit: string | undefined, summary: NumberSummary): string => {
  const { outliers } = summary
  const examples = outliers.examples.map((n) => Markdown.number(n, unit)).join(", ")
  return (
    `${name} has ${Markdown.plural(outliers.count, "outlier")} (${Markdown.percent(outliers.count, summary.present)}) outside ` +
    `${Markdown.number(outliers.lowerBound, unit)} to ${Markdown.number(outliers.upperBound, unit)} (1.5 interquartile ranges), for example ${examples}.`
  )
}

/** A column type as a reader would say it. */
export const typeName = (column: Column): string => {
  const unit = isNumber(column) && column.unit !== undefined ? ` (${Markdown.escapeText(column.unit)})` : ""
  return (column.kind === "date" && column.hasTimeOfDay ? "date and time" : column.kind) + unit
}

const missingText = (missing: number, total: number): string =>
  missing === 0 ? "0" : `${Markdown.integer(missing)} (${Markdown.percent(missing, total)})`

const valuesText = ({ column, summary }: ColumnProfile): string => {
  if (summary.present === 0) return "–"
  if ("topLabels" in summary) {
    if (summary.distinct === summary.present && summary.present > 5)
      return `all different, e.g. ${Markdown.escapeText(summary.topLabels[0]?.[0] ?? "", 24)}`
    return summary.topLabels
      .slice(0, 3)
      .map(([label, times]) => `${Markdown.escapeText(label, 20)} (${Markdown.integer(times)})`)
      .join(", ")
  }
  return isLabel(column) ? "" : `${valueText(column, summary.min)} to ${valueText(column, summary.max)}`
}
