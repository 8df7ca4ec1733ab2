import type { Measure } from "../data/Aggregation.ts"
import { isDate, isNumber, type Column, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { measureIn, granularityIn } from "./Figures.ts"
import { asking, cannot, type ParsedRequest } from "./Intent.ts"

/**
 * Understands "average price by region" and "which regions are there"; `undefined` when the text asks for no figure.
 */
export const parseMeasure = (text: string, table: Table): ParsedRequest | undefined => {
  const many = DISTINCT.exec(text)
  const distinct = many === null || /\b(?:by|per)\b/i.test(many[1] ?? "") ? undefined : findColumn(table, many[1] ?? "")
  if (distinct !== undefined) return asking({ do: "describe", column: distinct.index }, ambiguityNotes(distinct))
  const measure = measureIn(text)
  if (measure === undefined) return undefined
  const grouped = GROUPED.exec(text)
  const phrase = (grouped?.[1] ?? text).replace(NOISE, " ").trim()
  const column = phrase === "" ? undefined : findColumn(table, phrase)
  const measured = column === undefined ? undefined : table.columns[column.index]
  const problem = problemWith(measure, phrase, measured, table)
  if (problem !== undefined) return cannot(problem)
  const notes = column === undefined ? [] : ambiguityNotes(column)
  const figure = { do: "measure", measure, column: column?.index, step: "month", largest: true } as const
  if (grouped === null) return asking(figure, notes)
  const right = grouped[2] ?? ""
  const step = granularityIn(right)
  const by = findColumn(table, right)
  const groupsBy = by === undefined ? undefined : table.columns[by.index]
  const date = table.columns.findIndex(isDate)
  if (step !== undefined && date >= 0 && (groupsBy === undefined || isDate(groupsBy)))
    return asking({ ...figure, by: by?.index ?? date, step: step === "time" ? "month" : step }, notes)
  if (by === undefined) return cannot(unknownColumn(table, right))
  return asking({ ...figure, by: by.index }, [...notes, ...ambiguityNotes(by)])
}

const DISTINCT =
  /^(?:how many|which|what)\s+(?:different |distinct |unique )?(.+?)(?:\s+(?:are there|exist|do we have|values))?$/i
const GROUPED = /^(.*?)\s*\b(?:by|per|for each|in each|grouped by|across)\s+(.+)$/i
const NOISE =
  /\b(?:what|which|is|are|was|the|average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|count|counts|of|how|many|rows?|calculate|compute|show|value)\b/gi

/** Why a column has no such figure, if so. */
const problemWith = (
  measure: Measure,
  phrase: string,
  column: Column | undefined,
  table: Table
): string | undefined => {
  if (measure === "count") return undefined
  if (column === undefined)
    return phrase === "" ? `Which column do you mean? ${unknownColumn(table, "")}` : unknownColumn(table, phrase)
  if (isNumber(column) || (isDate(column) && (measure === "min" || measure === "max"))) return undefined
  return `${Markdown.bold(column.name)} does not hold numbers, so it has no ${measure === "mean" ? "average" : measure}.`
}
