import * as Language from "../format/Language.ts"
import { isLabel, type Table } from "../data/Table.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { findMeasure, defaultMeasure } from "./Figures.ts"
import { requestFor, unanswerable, type ParsedRequest } from "./Intent.ts"

/** Parses "top 3 by quantity" and "cheapest products"; `undefined` for other texts. */
export const parseTop = (text: string, table: Table): ParsedRequest | undefined => {
  const match = TOP.exec(text)
  if (match === null || /\b(?:what is|average|mean|sum|total|median)\b/i.test(text.slice(0, match.index)))
    return undefined
  const [, extreme = "", count, tail = ""] = match
  const largest = !/bottom|lowest|smallest|cheapest|earliest|oldest|worst/i.test(extreme)
  const limit = Math.min(Math.max(1, Number(count ?? 10)), 25)
  const rest = tail.trim()
  const by = /^(.*?)\s*\bby\s+(.+)$/i.exec(rest)
  const subject = findColumn(table, by === null ? rest : (by[1] ?? ""))
  const figure = by?.[2] ?? ""
  const figureColumn = by === null ? undefined : findColumn(table, figure.replace(MEASURES, " "))
  if (by !== null && figureColumn === undefined && !/\b(?:count|number|rows)\b/i.test(figure))
    return unanswerable(unknownColumn(table, figure))
  const column = subject === undefined ? undefined : table.columns[subject.index]
  if (subject !== undefined && column !== undefined && isLabel(column)) {
    const measure = findMeasure(figure) ?? (figureColumn === undefined ? "count" : defaultMeasure(figureColumn.name))
    const valueColumn = measure === "count" ? undefined : figureColumn?.index
    return requestFor(
      { kind: "measure", measure, column: valueColumn, by: subject.index, step: "month", limit, largest },
      ambiguityNotes(subject)
    )
  }
  const rankingColumn = figureColumn ?? subject
  if (rankingColumn !== undefined)
    return requestFor({ kind: "top", column: rankingColumn.index, limit, largest }, ambiguityNotes(rankingColumn))
  return count === undefined
    ? undefined
    : unanswerable(Language.text("By which column? ", "按哪一列？") + unknownColumn(table, rest))
}

const TOP =
  /\b(top|highest|largest|biggest|most expensive|latest|newest|bottom|lowest|smallest|cheapest|earliest|oldest|worst|best)\b(?:\s+(\d+))?\s*(?:rows?|entries|records)?\s*(.*)$/i
const MEASURES = /\b(?:total|sum|average|mean|avg|median|number|count|of)\b/gi
