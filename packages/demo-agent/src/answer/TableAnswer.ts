import { amountsOf } from "../data/Amounts.ts"
import type { Rows, Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"
import { answerAmounts, mixtureNotes } from "./AmountAnswer.ts"
import { describeColumn } from "./ColumnAnswer.ts"
import { answerMeasure } from "./MeasureAnswer.ts"
import { answerDuplicates, answerMissing, answerOutliers } from "./QualityAnswer.ts"
import { rankRows } from "./RankingAnswer.ts"
import { countSentence, sampleTable } from "./RowSample.ts"
import { numberTable, profileColumns, typeTable } from "./TableProfile.ts"

/** Answers a question about a table in Markdown, one block per element. */
export const answerAboutTable = async (
  intent: Intent,
  table: Table,
  rows: Rows,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  if (rows.length === 0 && !(intent.kind === "measure" && intent.measure === "count") && intent.kind !== "columns") {
    return [
      table.rowCount === 0
        ? Language.text("There are no rows.", "没有行。")
        : Language.text("No row fits the filter.", "没有符合筛选的行。")
    ]
  }
  switch (intent.kind) {
    case "rows": {
      const numbers = numberTable(await profileColumns(table, rows, signal), 8)
      return [
        countSentence(table, rows),
        sampleTable(table, rows, 5),
        ...(numbers === undefined ? [] : [numbers, ...mixtureNotes(rows, table.columns)])
      ]
    }
    case "columns":
      return [
        Language.text(
          `There are ${Markdown.plural(table.columns.length, "column")}.`,
          `共 ${Markdown.integer(table.columns.length)} 列。`
        ),
        typeTable(await profileColumns(table, rows, signal))
      ]
    case "table":
      return [sampleTable(table, rows, intent.limit)]
    case "describe":
      return describeColumn(table, rows, intent.column)
    case "top":
      return rankRows(table, rows, intent)
    case "measure": {
      const column = intent.column === undefined ? undefined : table.columns[intent.column]
      if (column === undefined || intent.measure === "count") return answerMeasure(table, rows, intent)
      const amounts = amountsOf(column, rows)
      return amounts === undefined
        ? answerMeasure(table, rows, intent)
        : answerAmounts(table, rows, intent, { amounts, column })
    }
    case "outliers":
      return answerOutliers(await profileColumns(table, rows, signal))
    case "missing":
      return answerMissing(table, rows, await profileColumns(table, rows, signal))
    case "duplicates":
      return answerDuplicates(table)
    default:
      return []
  }
}
