import { countMissing, summariseNumbers } from "../data/Statistics.ts"
import { isNumber, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { outlierSentence, type ColumnProfile } from "./TableProfile.ts"

/** Names the columns with outliers. */
export const answerOutliers = (table: Table, rows: Rows): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const column of table.columns) {
    if (!isNumber(column) || column.isIdentifier) continue
    const summary = summariseNumbers(column, rows)
    if (summary.outliers.count > 0) lines.push(`- ${outlierSentence(Markdown.bold(column.name), column.unit, summary)}`)
  }
  return [
    lines.length === 0 ? "No numeric column has outliers by the rule of 1.5 interquartile ranges." : lines.join("\n")
  ]
}

/** Says how many values are missing in each column. */
export const answerMissing = (
  table: Table,
  rows: Rows,
  profiles: ReadonlyArray<ColumnProfile>
): ReadonlyArray<string> => {
  const total = table.columns.reduce((sum, column) => sum + countMissing(column, rows), 0)
  if (total === 0) return ["No value is missing."]
  const incompleteColumns = profiles
    .filter(({ summary }) => summary.missing > 0)
    .sort((a, b) => b.summary.missing - a.summary.missing)
  const body = incompleteColumns
    .slice(0, 20)
    .map(({ column, summary }) => [
      Markdown.escapeText(column.name),
      Markdown.integer(summary.missing),
      Markdown.percent(summary.missing, rows.length)
    ])
  const omissionNote =
    incompleteColumns.length > 20
      ? [`_${Markdown.plural(incompleteColumns.length - 20, "more column")} left out._`]
      : []
  return [
    `${Markdown.plural(total, "value is", "values are")} missing in ${Markdown.plural(incompleteColumns.length, "column")}.`,
    Markdown.table(["Column", "Missing", "Share"], body),
    ...omissionNote
  ]
}

/** Says how many rows repeat another one. */
export const answerDuplicates = ({ duplicateRows }: Table): ReadonlyArray<string> => [
  duplicateRows === 0
    ? "No row of the file repeats another one."
    : `${Markdown.plural(duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly (counted over the whole file).`
]
