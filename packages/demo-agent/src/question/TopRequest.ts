import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { isLabel, isNumber, type Column, type Table } from "../data/Table.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { defaultMeasure, findMeasure, MEASURE_WORDS, readFigure } from "./Figures.ts"
import { requestFor, unanswerable, type ParsedRequest } from "./Intent.ts"
import { findProblem, notesOn } from "./MeasureRequest.ts"

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
  const named = readFigure(table, figure) ?? {
    measure: findMeasure(figure),
    column: figure.replace(MEASURE_WORDS, " ").replace(/\bof\b/gi, " ")
  }
  const figureColumn = by === null ? undefined : findColumn(table, named.column)
  const valueColumn = figureColumn === undefined ? undefined : table.columns[figureColumn.index]
  // "Highest price by month" is a figure for each month.
  if (
    by !== null &&
    count === undefined &&
    /^(?:highest|lowest)$/i.test(extreme) &&
    !(valueColumn && isNumber(valueColumn))
  )
    return undefined
  if (by !== null && figureColumn === undefined && !/\b(?:count|number|rows)\b/i.test(figure))
    return unanswerable(unknownColumn(table, named.column.trim() || figure))
  const column = subject === undefined ? undefined : table.columns[subject.index]
  const countsRows = by !== null || (COUNTED.test(extreme) && column?.notes.length === 0)
  if (subject !== undefined && column !== undefined && isLabel(column) && countsRows) {
    const intent = { kind: "measure", by: subject.index, step: "month", limit, largest } as const
    const notes = ambiguityNotes(subject)
    if (figureColumn === undefined) return requestFor({ ...intent, measure: "count", column: undefined }, notes)
    const measure = named.measure ?? defaultMeasure(figureColumn.name)
    const problem = findProblem(measure, figure, table.columns[figureColumn.index], table)
    return problem === undefined
      ? requestFor({ ...intent, measure, column: measure === "count" ? undefined : figureColumn.index }, notes)
      : unanswerable(problem)
  }
  const rankingMatch = figureColumn ?? subject
  const rankingColumn = rankingMatch === undefined ? undefined : table.columns[rankingMatch.index]
  if (rankingMatch !== undefined && rankingColumn !== undefined)
    return isLabel(rankingColumn)
      ? unanswerable(unrankable(rankingColumn))
      : requestFor({ kind: "top", column: rankingMatch.index, limit, largest }, ambiguityNotes(rankingMatch))
  return count === undefined
    ? undefined
    : unanswerable(Language.text("By which column? ", "按哪一列？") + unknownColumn(table, rest))
}

const TOP =
  /\b(top|highest|largest|biggest|most expensive|latest|newest|bottom|lowest|smallest|cheapest|earliest|oldest|worst|best)\b(?:\s+(\d+))?\s*(?:rows?|entries|records)?\s*(.*)$/i
/** Without a figure, these ask for the groups with the most or the fewest rows. */
const COUNTED = /^(?:top|bottom|largest|biggest|smallest)$/i

const unrankable = (column: Column): string =>
  Language.text(
    `${Markdown.bold(column.name)} does not hold numbers, so nothing can be ranked by it${notesOn(column)}.`,
    `${Markdown.bold(column.name)} 不是数字，所以不能按它排名${notesOn(column)}。`
  )
