import { countMissing } from "../data/Statistics.ts"
import type { Rows, Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { measuredProfiles, outlierSentence, type ColumnProfile } from "./TableProfile.ts"

/** Names the columns with outliers. */
export const answerOutliers = (profiles: ReadonlyArray<ColumnProfile>): ReadonlyArray<string> => {
  const lines = profiles
    .flatMap(measuredProfiles)
    .filter(({ summary }) => summary.outliers.count > 0)
    .map((profile) => `- ${outlierSentence(profile)}`)
  return [
    lines.length === 0
      ? Language.text(
          "No numeric column has outliers by the rule of 1.5 interquartile ranges.",
          "按 1.5 倍四分位距的规则，没有数字列有异常值。"
        )
      : lines.join("\n")
  ]
}

/** Says how many values are missing in each column. */
export const answerMissing = (
  table: Table,
  rows: Rows,
  profiles: ReadonlyArray<ColumnProfile>
): ReadonlyArray<string> => {
  const total = table.columns.reduce((sum, column) => sum + countMissing(column, rows), 0)
  if (total === 0) return [Language.text("No value is missing.", "没有缺失值。")]
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
      ? [
          Language.text(
            `_${Markdown.plural(incompleteColumns.length - 20, "more column")} left out._`,
            `_另有 ${incompleteColumns.length - 20} 列未列出。_`
          )
        ]
      : []
  return [
    Language.text(
      `${Markdown.plural(total, "value is", "values are")} missing in ${Markdown.plural(incompleteColumns.length, "column")}.`,
      `${incompleteColumns.length} 列里缺失 ${Markdown.integer(total)} 个值。`
    ),
    Markdown.table(Language.pick({ english: ["Column", "Missing", "Share"], chinese: ["列", "缺失", "占比"] }), body),
    ...omissionNote
  ]
}

/** Says how many rows repeat another one. */
export const answerDuplicates = ({ duplicateRows }: Table): ReadonlyArray<string> => [
  duplicateRows === 0
    ? Language.text("No row of the file repeats another one.", "文件里没有重复的行。")
    : Language.text(
        `${Markdown.plural(duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly (counted over the whole file).`,
        `${Markdown.integer(duplicateRows)} 行与前面的行完全相同（按整个文件计算）。`
      )
]
