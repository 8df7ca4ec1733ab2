import * as Markdown from "../format/Markdown.ts"
import {
  isIdentifier,
  summariseLabels,
  summariseNumbers,
  type LabelSummary,
  type NumberSummary
} from "../data/Statistics.ts"
import { isLabel, isNumber, type Column, type Rows, type Table } from "../data/Table.ts"

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
      Markdown.cell(column.name),
      kindWord(column),
      missingText(summary.missing, summary.missing + summary.present),
      Markdown.whole(summary.distinct),
      contentOf(profile)
    ]
  })
  const left = profiles.length - limit
  const more = left > 0 ? `\n\n_${Markdown.plural(left, "more column")} left out here._` : ""
  return Markdown.table(["Column", "Type", "Missing", "Distinct", "Values"], rows) + more
}

/** The figures of the numeric columns but identifiers as a Markdown table; `undefined` when there are none. */
export const numberTable = (
  profiles: ReadonlyArray<ColumnProfile>,
  identifiers: ReadonlySet<string>,
  limit = MAX_COLUMNS
): string | undefined => {
  const numeric = profiles.flatMap((profile) =>
    isNumber(profile.column) && !identifiers.has(profile.column.name) && profile.summary.present > 0 ? [profile] : []
  )
  if (numeric.length === 0) return undefined
  const rows = numeric.slice(0, limit).map((profile) => {
    const s = profile.summary
    const unit = isNumber(profile.column) ? profile.column.unit : undefined
    if (!("mean" in s)) return []
    return [
      Markdown.cell(profile.column.name),
      ...[s.min, s.median, s.mean, s.max, s.deviation].map((n) => Markdown.number(n, unit))
    ]
  })
  const left = numeric.length - limit
  const more = left > 0 ? `\n\n_${Markdown.plural(left, "more numeric column")} left out here._` : ""
  return Markdown.table(["Column", "Min", "Median", "Mean", "Max", "SD"], rows) + more
}

/** What deserves attention in the data, one sentence each, the file as a whole first. */
export const findings = (
  table: Table,
  profiles: ReadonlyArray<ColumnProfile>,
  identifiers: ReadonlySet<string>
): ReadonlyArray<string> => {
  const found: Array<string> = [...table.notes]
  if (table.duplicateRows > 0)
    found.push(
      `${Markdown.plural(table.duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly.`
    )
  for (const { column, summary } of profiles) {
    const name = Markdown.bold(column.name)
    const total = summary.missing + summary.present
    if (summary.present === 0 && total > 0) found.push(`${name} has no values at all.`)
    else if (summary.missing > 0)
      found.push(
        `${name} is missing in ${Markdown.plural(summary.missing, "row")} (${Markdown.percent(summary.missing, total)}).`
      )
    for (const note of column.notes) found.push(`${name}: ${Markdown.note(note)}.`)
    if (summary.present > 1 && summary.distinct === 1)
      found.push(`${name} has the same value in every row that has one.`)
    if ("outliers" in summary && isNumber(column) && summary.outliers.count > 0 && !identifiers.has(column.name))
      found.push(outlierSentence(name, column.unit, summary))
  }
  return found
}

/** The outliers of one column in a sentence, with the rule. */
export const outlierSentence = (name: string, unit: string | undefined, summary: NumberSummary): string => {
  const { outliers } = summary
  const examples = outliers.examples.map((n) => Markdown.number(n, unit)).join(", ")
  return (
    `${name} has ${Markdown.plural(outliers.count, "outlier")} (${Markdown.percent(outliers.count, summary.present)}) outside ` +
    `${Markdown.number(outliers.low, unit)} to ${Markdown.number(outliers.high, unit)} (1.5 interquartile ranges), for example ${examples}.`
  )
}

/** The names of the columns that number rows instead of measuring something. */
export const identifiersOf = (table: Table): ReadonlySet<string> =>
  new Set(table.columns.filter((column) => isIdentifier(table, column)).map((column) => column.name))

/** A column type as a reader would say it. */
export const kindWord = (column: Column): string => {
  const unit = isNumber(column) && column.unit !== undefined ? ` (${Markdown.cell(column.unit)})` : ""
  return (column.kind === "date" && column.timed ? "date and time" : column.kind) + unit
}

const missingText = (missing: number, total: number): string =>
  missing === 0 ? "0" : `${Markdown.whole(missing)} (${Markdown.percent(missing, total)})`

const contentOf = ({ column, summary }: ColumnProfile): string => {
  if (summary.present === 0) return "–"
  if ("top" in summary) {
    if (summary.distinct === summary.present && summary.present > 5)
      return `all different, e.g. ${Markdown.cell(summary.top[0]?.[0] ?? "", 24)}`
    return summary.top
      .slice(0, 3)
      .map(([label, times]) => `${Markdown.cell(label, 20)} (${Markdown.whole(times)})`)
      .join(", ")
  }
  const show = (n: number): string =>
    "values" in column && column.kind === "date"
      ? Markdown.date(n, column.timed)
      : Markdown.number(n, "unit" in column ? column.unit : undefined)
  return `${show(summary.min)} to ${show(summary.max)}`
}
