import { isIdentifier, missingIn, summariseNumbers } from "../data/Statistics.ts"
import { isNumber, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { outlierSentence, type ColumnProfile } from "./TableProfile.ts"

/** Names the columns with outliers. */
export const answerOutliers = (table: Table, rows: Rows): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const column of table.columns) {
    if (!isNumber(column) || isIdentifier(table, column)) continue
    const summary = summariseNumbers(column, rows)
    if (summary.outliers.count > 0) lines.push(`- ${outlierSentence(Markdown.bold(column.name), column.unit, summary)}`)
  }
  return [
    lines.length === 0 ? "No numeric column has outliers by the rule of 1.5 interquartile ranges." : lines.join("\n")
  ]
}

/** Says how many values each column lacks. */
export const answerMissing = (
  table: Table,
  rows: Rows,
  profiles: ReadonlyArray<ColumnProfile>
): ReadonlyArray<string> => {
  const total = table.columns.reduce((sum, column) => sum + missingIn(column, rows), 0)
  if (total === 0) return ["No value is missing."]
  const gaps = profiles
    .filter(({ summary }) => summary.missing > 0)
    .sort((a, b) => b.summary.missing - a.summary.missing)
  const body = gaps
    .slice(0, 20)
    .map(({ column, summary }) => [
      Markdown.cell(column.name),
      Markdown.whole(summary.missing),
      Markdown.percent(summary.missing, rows.length)
    ])
  const more = gaps.length > 20 ? [`_${Markdown.plural(gaps.length - 20, "more column")} left out._`] : []
  return [
    `${Markdown.plural(total, "value is", "values are")} missing in ${Markdown.plural(gaps.length, "column")}.`,
    Markdown.table(["Column", "Missing", "Share"], body),
    ...more
  ]
}

/** Says how many rows repeat another one. */
export const answerDuplicates = ({ duplicateRows }: Table): ReadonlyArray<string> => [
  duplicateRows === 0
    ? "No row of the file repeats another one."
    : `${Markdown.plural(duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly (counted over the whole file).`
]
