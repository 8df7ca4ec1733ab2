import type { Measure } from "../data/Aggregation.ts"
import { hasMixedUnits } from "../data/Amounts.ts"
import { countDistinct } from "../data/Statistics.ts"
import { allRows, isDate, isIdentifier, isNumber, type Column, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { defaultMeasure, findGranularity, findMeasure, measureNote, readFigure } from "./Figures.ts"
import { requestFor, unanswerable, type ParsedRequest } from "./Intent.ts"

/** Parses "average price by region" and "which regions are there"; `undefined` when the text asks for no figure. */
export const parseMeasure = (text: string, table: Table): ParsedRequest | undefined => {
  const distinctQuestion = DISTINCT.exec(text)
  const distinctColumn =
    distinctQuestion === null || /\b(?:by|per)\b/i.test(distinctQuestion[1] ?? "")
      ? undefined
      : findColumn(table, distinctQuestion[1] ?? "")
  if (distinctColumn !== undefined)
    return requestFor({ kind: "describe", column: distinctColumn.index }, ambiguityNotes(distinctColumn))
  const grouped = GROUPED.exec(text)
  const subject = grouped?.[1] ?? text
  const named = readFigure(table, subject)
  const ownMeasure = named === undefined ? findMeasure(text) : (named.measure ?? defaultMeasure(named.column))
  const usual = ownMeasure === undefined && grouped !== null ? usualMeasure(table, subject) : undefined
  const measure = ownMeasure ?? usual?.measure
  if (measure === undefined) return undefined
  // A column may be called "value".
  const phrase = named?.column ?? (subject.replace(NOISE, " ").trim() || (/\bvalues?\b/i.exec(subject)?.[0] ?? ""))
  const columnMatch = phrase === "" ? undefined : findColumn(table, phrase)
  const several = columnMatch === undefined ? columnsOf(phrase, table) : undefined
  if (several !== undefined) return forEach(several.map((name) => parseMeasure(text.replace(phrase, name), table)))
  const valueColumn = columnMatch === undefined ? undefined : table.columns[columnMatch.index]
  const problem = hasMixedUnits(valueColumn) ? undefined : findProblem(measure, phrase, valueColumn, table)
  if (problem !== undefined) return unanswerable(problem)
  // Rows are no answer to "how many customers".
  if (measure === "count" && grouped === null && columnMatch === undefined && !namesRows(phrase, table))
    return unanswerable(unknownColumn(table, phrase))
  const notes = [
    ...(usual?.notes ?? []),
    ...(columnMatch === undefined ? [] : ambiguityNotes(columnMatch)),
    ...(measure === "count" && grouped !== null && valueColumn !== undefined ? repeatedNotes(valueColumn, table) : [])
  ]
  const intent = { kind: "measure", measure, column: columnMatch?.index, step: "month", largest: true } as const
  if (grouped === null) return requestFor(intent, notes)
  const groupPhrase = grouped[2] ?? ""
  const step = findGranularity(groupPhrase)
  const groupMatch = findColumn(table, groupPhrase)
  const groupColumn = groupMatch === undefined ? undefined : table.columns[groupMatch.index]
  const date = table.columns.findIndex(isDate)
  if (step !== undefined && date >= 0 && (groupColumn === undefined || isDate(groupColumn)))
    return requestFor({ ...intent, by: groupMatch?.index ?? date, step: step === "time" ? "month" : step }, notes)
  if (groupMatch === undefined) return unanswerable(unknownColumn(table, groupPhrase))
  return requestFor({ ...intent, by: groupMatch.index }, [...notes, ...ambiguityNotes(groupMatch)])
}

/** The names of several columns, such as "net and gross"; undefined where one is unknown. */
const columnsOf = (phrase: string, table: Table): ReadonlyArray<string> | undefined => {
  const matches = phrase.split(/\s*,\s*|\s+and\s+/i).map((name) => findColumn(table, name)?.name)
  const names = matches.filter((name) => name !== undefined)
  return matches.length > 1 && names.length === matches.length ? names : undefined
}

/** One request for the figures of several columns. */
const forEach = (requests: ReadonlyArray<ParsedRequest | undefined>): ParsedRequest | undefined => {
  const parsed = requests.filter((request) => request !== undefined)
  const [first] = parsed
  const refused = parsed.find(({ intent }) => intent.kind === "cannot")
  if (first === undefined || refused !== undefined) return refused
  const [intent = first.intent, ...otherIntents] = parsed.map((request) => request.intent)
  return {
    ...requestFor(
      intent,
      parsed.flatMap(({ notes }) => notes)
    ),
    otherIntents
  }
}

/** Tells whether words mean the rows: none, or those of the name of the file. */
const namesRows = (phrase: string, table: Table): boolean => {
  const known = new Set([
    ...wordsOf(table.name),
    ..."there do we have you see exist all it them this that file data".split(" ")
  ])
  return wordsOf(phrase).every((word) => known.has(word))
}

/** "How many products by region" counts rows, of which several may have the same product. */
const repeatedNotes = (column: Column, table: Table): ReadonlyArray<string> =>
  countDistinct(column, allRows(table)) === table.rowCount
    ? []
    : [
        Language.text(
          `I counted rows; ${Markdown.bold(column.name)} may be in several of them.`,
          `我统计的是行数；同一个 ${Markdown.bold(column.name)} 可能在多行里。`
        )
      ]

/** The measure of "price by region", which names none. */
const usualMeasure = (
  table: Table,
  subject: string
): { readonly measure: Measure; readonly notes: ReadonlyArray<string> } | undefined => {
  const match = findColumn(table, subject.replace(NOISE, " "))
  const column = match === undefined ? undefined : table.columns[match.index]
  if (column === undefined || !(hasMixedUnits(column) || isNumber(column)) || isIdentifier(column)) return undefined
  const measure = defaultMeasure(column.name)
  return { measure, notes: [measureNote(measure, column.name)] }
}

const DISTINCT =
  /^(?:how many|which|what)\s+(?:different |distinct |unique )?(.+?)(?:\s+(?:are there|exist|do we have|values))?$/i
const GROUPED = /^(.*?)\s*\b(?:by|per|for each|in each|grouped by|across)\s+(.+)$/i
const NOISE =
  /\b(?:what|which|is|are|was|the|average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|count|counts|of|how|many|rows?|calculate|compute|show|value)\b/gi

/** Says why a column has no such figure; `undefined` when it has one. */
export const findProblem = (
  measure: Measure,
  phrase: string,
  column: Column | undefined,
  table: Table
): string | undefined => {
  if (measure === "count") return undefined
  if (column === undefined)
    return phrase === ""
      ? Language.text("Which column do you mean? ", "您指哪一列？") + unknownColumn(table, "")
      : unknownColumn(table, phrase)
  if (isIdentifier(column) && measure !== "min" && measure !== "max")
    return Language.text(
      `${Markdown.bold(column.name)} looks like an identifier, so its numbers are not added up or averaged.`,
      `${Markdown.bold(column.name)} 像是编号，所以不求和也不求平均。`
    )
  if (isNumber(column) || (isDate(column) && (measure === "min" || measure === "max"))) return undefined
  return Language.text(
    `${Markdown.bold(column.name)} does not hold numbers, so it has no ${measure === "mean" ? "average" : measure}${notesOn(column)}.`,
    `${Markdown.bold(column.name)} 不是数字，所以没有这样的统计值${notesOn(column)}。`
  )
}

/** Why the values of a column are no numbers, after a colon; "" without a reason. */
export const notesOn = ({ notes }: Column): string =>
  notes.length === 0 ? "" : Language.text(": ", "：") + notes.join(Language.text("; ", "；"))
