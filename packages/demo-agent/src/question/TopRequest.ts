import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { chineseMeasures, measureWords } from "../data/Aggregation.ts"
import { hasMixedUnits } from "../data/Amounts.ts"
import { isDate, isLabel, isNumber, type Column, type Table } from "../data/Table.ts"
import { ambiguityNotes, type ColumnMatch, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { defaultMeasure, findMeasure, MEASURE_WORDS, readFigure } from "./Figures.ts"
import { requestFor, unanswerable, type ParsedRequest } from "./Intent.ts"
import { findProblem, notesOn } from "./MeasureRequest.ts"

/** Parses "top 3 by quantity" and "cheapest products"; `undefined` for other texts. */
export const parseTop = (text: string, table: Table): ParsedRequest | undefined => {
  const match = TOP.exec(text.replace(WHICH_IS, "$2 1 $1"))
  if (match === null || /\b(?:what is|average|mean|sum|total|median)\b/i.test(text.slice(0, match.index)))
    return undefined
  const [, extreme = "", count, tail = ""] = match
  const largest = !/bottom|lowest|smallest|cheapest|earliest|oldest|worst/i.test(extreme)
  const limit = Math.min(Math.max(1, Number(count ?? (ASKS_FOR_ONE.test(text) ? 1 : 10))), 25)
  // "price top 5" is "top 5 price".
  const rest = tail.trim() === "" && count !== undefined ? text.slice(0, match.index).trim() : tail.trim()
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
  if (by === null && (rest === "" || (column !== undefined && isLabel(column) && !hasMixedUnits(column))))
    return rankByOnlyColumn(table, { extreme, subject, limit, largest })
  if (subject !== undefined && column !== undefined && isLabel(column) && by !== null) {
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

/** Parses "sort by price", "show all rows sorted by price from high to low"; `undefined` for other texts. */
export const parseSort = (text: string, table: Table): ParsedRequest | undefined => {
  const { by = "", direction = "", first = "" } = SORT.exec(text)?.groups ?? {}
  if (by === "") return undefined
  const match = findColumn(table, by)
  const column = match === undefined ? undefined : table.columns[match.index]
  if (match === undefined || column === undefined) return unanswerable(unknownColumn(table, by))
  if (isLabel(column)) return unanswerable(unrankable(column))
  const limit = Math.min(Math.max(1, Number(first === "" ? 10 : first)), 25)
  const largest = /desc|^from (?:high|large|new|late)|^(?:high|large|big|new|late)/i.test(direction)
  return requestFor({ kind: "top", column: match.index, limit, largest }, ambiguityNotes(match))
}

const SORT =
  /^(?:(?:show|list|print|display)\s+)?(?:(?:the|all|every|these|first|top)\s+)*(?:(?<first>\d+)\s+)?(?:(?:rows?|data|entries|records|table)\s+)?(?:sort|order|rank|arrange)(?:ed|s)?\s+(?:(?:the|all|these|it|them|this|rows?|data|entries|records|table)\s+)*by\s+(?<by>.+?)(?:,?\s+(?:in\s+)?(?<direction>(?:ascending|asc|descending|desc)(?:\s+order)?|from\s+\w+ to \w+|\w+ (?:to \w+|first)))?$/i

const TOP =
  /\b(top|highest|largest|biggest|most expensive|latest|newest|bottom|lowest|smallest|cheapest|earliest|oldest|worst|best)\b(?:\s+(\d+))?\s*(?:rows?|entries|records)?\s*(.*)$/i
/** "Which city is the cheapest?" */
const WHICH_IS =
  /^(?:which|what)\s+(.+?)\s+(?:is|are)\s+(?:the\s+)?(highest|largest|biggest|most expensive|latest|newest|lowest|smallest|cheapest|earliest|oldest|worst|best)$/i

/** "Which city has the highest price?" */
const ASKS_FOR_ONE = /^(?:which|what|who)\b.*\b(?:has|had|is|was)\b/i

interface Ranking {
  readonly extreme: string
  /** What is ranked; the rows without it. */
  readonly subject: ColumnMatch | undefined
  readonly limit: number
  readonly largest: boolean
}

/** Ranks by the one column whose values the words can mean, and says so; asks where there are several or none. */
const rankByOnlyColumn = (table: Table, { extreme, largest, limit, subject }: Ranking): ParsedRequest => {
  const candidates = valueColumns(table, extreme).filter(({ index }) => index !== subject?.index)
  const [only, ...others] = candidates
  const named = subject === undefined ? Language.text("rows", "行") : Markdown.bold(subject.name)
  if (only === undefined)
    return subject !== undefined && COUNTED.test(extreme)
      ? requestFor({ kind: "measure", measure: "count", by: subject.index, step: "month", limit, largest })
      : unanswerable(
          Language.text(
            `No column holds values by which ${named} can be “${extreme}”.`,
            `没有哪一列的值可以用来这样给 ${named} 排名。`
          )
        )
  if (others.length > 0) {
    const names = Markdown.joinWords(
      candidates.slice(0, 12).map(({ column }) => Markdown.bold(column.name)),
      "or"
    )
    return unanswerable(
      Language.text(`By which column shall I rank ${named}: ${names}?`, `请问按哪一列给 ${named} 排名：${names}？`)
    )
  }
  const { column, index } = only
  if (isLabel(column)) return unanswerable(unrankable(column))
  const value = Markdown.bold(column.name)
  const measure = isDate(column) ? (largest ? "max" : "min") : defaultMeasure(column.name)
  const ranked =
    subject === undefined
      ? value
      : Language.text(`the ${measureWords[measure]} ${value}`, `${chineseMeasures[measure]} ${value}`)
  const notes = [
    Language.text(
      `You named no column to rank by, so I took ${ranked}.`,
      `您没有说按哪一列排名，所以我用了${ranked}。`
    ),
    ...(subject === undefined ? [] : ambiguityNotes(subject))
  ]
  return subject === undefined
    ? requestFor({ kind: "top", column: index, limit, largest }, notes)
    : requestFor({ kind: "measure", measure, column: index, by: subject.index, step: "month", limit, largest }, notes)
}

/** The columns whose values such words compare: dates for "latest", prices for "cheapest", otherwise all amounts. */
const valueColumns = (
  table: Table,
  extreme: string
): ReadonlyArray<{ readonly column: Column; readonly index: number }> => {
  const columns = table.columns.map((column, index) => ({ column, index }))
  if (/latest|newest|earliest|oldest/i.test(extreme)) return columns.filter(({ column }) => isDate(column))
  const amounts = columns.filter(({ column }) =>
    isLabel(column) ? hasMixedUnits(column) : isNumber(column) && !column.isIdentifier
  )
  const prices = amounts.filter(({ column }) => PRICE.test(column.name))
  return /expensive|cheapest/i.test(extreme) && prices.length > 0 ? prices : amounts
}

const PRICE = /price|cost|fee|fare|rent|价|费|租/i

/** Without a column of values, these ask for the groups with the most or the fewest rows. */
const COUNTED = /^(?:top|bottom|largest|biggest|smallest)$/i

const unrankable = (column: Column): string =>
  Language.text(
    `${Markdown.bold(column.name)} does not hold numbers, so nothing can be ranked by it${notesOn(column)}.`,
    `${Markdown.bold(column.name)} 不是数字，所以不能按它排名${notesOn(column)}。`
  )
