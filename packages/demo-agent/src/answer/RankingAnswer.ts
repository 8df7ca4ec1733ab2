import { isLabel, isMissingAt, labelAt, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"
import { cellText, sampleTable } from "./RowSample.ts"

/** Answers with the rows that have the highest or lowest values of a column. */
export const rankRows = (table: Table, rows: Rows, intent: Extract<Intent, { kind: "top" }>): ReadonlyArray<string> => {
  const column = table.columns[intent.column]
  if (column === undefined) return []
  const rowsWithValue = [...rows].filter((row) => !isMissingAt(column, row))
  const ascending = (a: number, b: number): number =>
    isLabel(column)
      ? labelAt(column, a).localeCompare(labelAt(column, b))
      : (column.values[a] ?? 0) - (column.values[b] ?? 0)
  rowsWithValue.sort((a, b) => (intent.largest ? ascending(b, a) : ascending(a, b)) || a - b)
  const topRows = Uint32Array.from(rowsWithValue.slice(0, intent.limit))
  const missingCount = rows.length - rowsWithValue.length
  const missingNote = missingCount > 0 ? ` (${Markdown.plural(missingCount, "row has", "rows have")} none)` : ""
  const [first, last] = [topRows[0], topRows[topRows.length - 1]]
  if (first === undefined || last === undefined) return [`No row has a ${Markdown.bold(column.name)}.`]
  const ranking = `the ${intent.largest ? "highest" : "lowest"} ${Markdown.bold(column.name)}`
  const sentence =
    topRows.length === 1
      ? `The row with ${ranking} has ${cellText(column, first)}${missingNote}.`
      : `The ${topRows.length} rows with ${ranking} go from ${cellText(column, first)} ${intent.largest ? "down" : "up"} to ${cellText(column, last)}${missingNote}.`
  return [sentence, sampleTable(table, topRows, intent.limit, column)]
}
