import { isLabel, isMissingAt, type Rows, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"
import { cellText, sampleTable } from "./RowSample.ts"

/** Answers with the rows that have the highest or lowest values of a column. */
export const rankRows = (table: Table, rows: Rows, intent: Extract<Intent, { kind: "top" }>): ReadonlyArray<string> => {
  const column = table.columns[intent.column]
  if (column === undefined || isLabel(column)) return []
  const rowsWithValue = [...rows].filter((row) => !isMissingAt(column, row))
  const ascending = (a: number, b: number): number => (column.values[a] ?? 0) - (column.values[b] ?? 0)
  rowsWithValue.sort((a, b) => (intent.largest ? ascending(b, a) : ascending(a, b)) || a - b)
  const topRows = Uint32Array.from(rowsWithValue.slice(0, intent.limit))
  const missingCount = rows.length - rowsWithValue.length
  const missingNote =
    missingCount > 0
      ? Language.text(
          ` (${Markdown.plural(missingCount, "row has", "rows have")} none)`,
          `（${Markdown.integer(missingCount)} 行没有值）`
        )
      : ""
  const [first, last] = [topRows[0], topRows[topRows.length - 1]]
  if (first === undefined || last === undefined)
    return [Language.text(`No row has a ${Markdown.bold(column.name)}.`, `没有一行有 ${Markdown.bold(column.name)}。`)]
  const ranking = `the ${intent.largest ? "highest" : "lowest"} ${Markdown.bold(column.name)}`
  const chineseRanking = `${Markdown.bold(column.name)} 最${intent.largest ? "高" : "低"}的`
  const [from, until] = [cellText(column, first), cellText(column, last)]
  const sentence =
    topRows.length === 1
      ? Language.text(
          `The row with ${ranking} has ${from}${missingNote}.`,
          `${chineseRanking}一行是 ${from}${missingNote}。`
        )
      : Language.text(
          `The ${topRows.length} rows with ${ranking} go from ${from} ${intent.largest ? "down" : "up"} to ${until}${missingNote}.`,
          `${chineseRanking} ${topRows.length} 行，从 ${from} 到 ${until}${missingNote}。`
        )
  return [sentence, sampleTable(table, topRows, intent.limit, column)]
}
