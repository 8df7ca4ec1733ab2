import { amountsOf } from "../data/Amounts.ts"
import { isNumber, type Column, type Rows, type Table } from "../data/Table.ts"
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
  if (rows.length === 0 && intent.kind !== "count" && intent.kind !== "columns") {
    return [
      table.rowCount === 0
        ? Language.text("There are no rows.", "没有行。")
        : Language.text("No row fits the filter.", "没有符合筛选的行。")
    ]
  }
  switch (intent.kind) {
    case "count":
      return [countSentence(table, rows)]
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
      return amountsOf(table.columns[intent.column], rows) === undefined
        ? [...rankRows(table, rows, intent), ...readingNotes([table.columns[intent.column]])]
        : mixtureNotes(rows, [table.columns[intent.column]])
    case "measure": {
      const column = intent.column === undefined ? undefined : table.columns[intent.column]
      if (column === undefined || intent.measure === "count") return answerMeasure(table, rows, intent)
      const amounts = amountsOf(column, rows)
      if (amounts === undefined) return [...answerMeasure(table, rows, intent), ...readingNotes([column])]
      // A ranking of groups needs one order.
      if (intent.limit !== undefined) return mixtureNotes(rows, [column])
      const figures = answerAmounts(table, rows, intent, { amounts, column })
      // That amounts in cells cannot be added up is in the answer.
      return isNumber(column) ? [...figures, ...readingNotes([column])] : figures
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

/** How the values of columns were read, which a figure must not hide: values left out, units of some, another reading. */
export const readingNotes = (columns: ReadonlyArray<Column | undefined>): ReadonlyArray<string> =>
  columns.flatMap((column) =>
    (column?.notes ?? []).map((note) => {
      const [name, text] = [Markdown.bold(column?.name ?? ""), Markdown.escapeQuoted(note)]
      return Language.text(`${name}: ${text}.`, `${name}：${text}。`)
    })
  )
