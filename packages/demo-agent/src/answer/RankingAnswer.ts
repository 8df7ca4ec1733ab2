import { isLabel, isMissingAt, labelAt, type Rows, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Intent } from "../question/Intent.ts"
import { cellText, sample } from "./RowSample.ts"

/** Answers with the rows that have the highest or lowest values of a column. */
export const rankRows = (table: Table, rows: Rows, intent: Extract<Intent, { do: "top" }>): ReadonlyArray<string> => {
  const column = table.columns[intent.column]
  if (column === undefined) return []
  const present = [...rows].filter((row) => !isMissingAt(column, row))
  const ascending = (a: number, b: number): number =>
    isLabel(column)
      ? labelAt(column, a).localeCompare(labelAt(column, b))
      : (column.values[a] ?? 0) - (column.values[b] ?? 0)
  present.sort((a, b) => (intent.largest ? ascending(b, a) : ascending(a, b)) || a - b)
  const best = Uint32Array.from(present.slice(0, intent.limit))
  const skipped = rows.length - present.length
  const without = skipped > 0 ? ` (${Markdown.plural(skipped, "row has", "rows have")} none)` : ""
  const [first, last] = [best[0], best[best.length - 1]]
  if (first === undefined || last === undefined) return [`No row has a ${Markdown.bold(column.name)}.`]
  const end = `the ${intent.largest ? "highest" : "lowest"} ${Markdown.bold(column.name)}`
  const sentence =
    best.length === 1
      ? `The row with ${end} has ${cellText(column, first)}${without}.`
      : `The ${best.length} rows with ${end} go from ${cellText(column, first)} ${intent.largest ? "down" : "up"} to ${cellText(column, last)}${without}.`
  return [sentence, sample(table, best, intent.limit, column)]
}
