import { isLabel, type Table } from "../data/Table.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { measureIn, usualMeasure } from "./Figures.ts"
import { asking, cannot, type ParsedRequest } from "./Intent.ts"

/** Understands "top 3 by quantity" and "cheapest products"; `undefined` when the text asks for no extremes. */
export const parseTop = (text: string, table: Table): ParsedRequest | undefined => {
  const found = TOP.exec(text)
  if (found === null || /\b(?:what is|average|mean|sum|total|median)\b/i.test(text.slice(0, found.index)))
    return undefined
  const [, extreme = "", count, tail = ""] = found
  const largest = !/bottom|lowest|smallest|cheapest|earliest|oldest|worst/i.test(extreme)
  const limit = Math.min(Math.max(1, Number(count ?? 10)), 25)
  const rest = tail.trim()
  const by = /^(.*?)\s*\bby\s+(.+)$/i.exec(rest)
  const subject = findColumn(table, by === null ? rest : (by[1] ?? ""))
  const figure = by?.[2] ?? ""
  const measured = by === null ? undefined : findColumn(table, figure.replace(MEASURES, " "))
  if (by !== null && measured === undefined && !/\b(?:count|number|rows)\b/i.test(figure))
    return cannot(unknownColumn(table, figure))
  const column = subject === undefined ? undefined : table.columns[subject.index]
  if (subject !== undefined && column !== undefined && isLabel(column)) {
    const measure = measureIn(figure) ?? (measured === undefined ? "count" : usualMeasure(measured.name))
    const ofColumn = measure === "count" ? undefined : measured?.index
    return asking(
      { do: "measure", measure, column: ofColumn, by: subject.index, step: "month", limit, largest },
      ambiguityNotes(subject)
    )
  }
  const key = measured ?? subject
  if (key !== undefined) return asking({ do: "top", column: key.index, limit, largest }, ambiguityNotes(key))
  return count === undefined ? undefined : cannot(`By which column? ${unknownColumn(table, rest)}`)
}

const TOP =
  /\b(top|highest|largest|biggest|most expensive|latest|newest|bottom|lowest|smallest|cheapest|earliest|oldest|worst|best)\b(?:\s+(\d+))?\s*(?:rows?|entries|records)?\s*(.*)$/i
const MEASURES = /\b(?:total|sum|average|mean|avg|median|number|count|of)\b/gi
