import type { Filter } from "../data/Filter.ts"
import type { Clause, Figure, Options } from "./Clause.ts"
import { alt, map, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import { joined } from "./OptionGrammar.ts"
import type { Scanner } from "./Scanner.ts"
import type { TableParsers } from "./VerbalGrammar.ts"

/** The parsers of clauses about rows. */
export interface RowsParsers {
  /** "only EU", "exclude EU": a picking clause says by a word that it picks rows. */
  readonly picking: Parser<Clause>
  /** "EU", "price > 5" */
  readonly bare: Parser<Clause>
  readonly allRows: Parser<Clause>
  /** "first 3 rows", "now as a table" */
  readonly table: Parser<Clause>
  /** "top 3 by price", "sort by price", "price 最高的 3 行" */
  readonly top: Parser<Clause>
  /** "top 3 cities by total price", "quantity 最高的 2 个 region" */
  readonly groupRanking: Parser<Clause>
}

/** Builds the grammar of clauses about rows. */
export const rowsParsers = (scanner: Scanner, parsers: TableParsers): RowsParsers => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const { after, bareFigures, conditions, excluded, figures, only, values } = parsers
  const rowsClause = alt(
    map(seq(alt(only, excluded), opt(word("asTable"))), ([filters, asTable]): Clause =>
      rowsOf(filters, asTable !== undefined)
    ),
    map(seq(conditions, word("rows"), opt(word("asTable"))), ([filters, , asTable]): Clause =>
      rowsOf(filters, asTable !== undefined)
    ),
    map(seq(word("rows"), word("where", "for"), alt(conditions, values)), ([, , filters]): Clause =>
      rowsOf(filters, false)
    )
  )
  const allRowsClause = map(word("allRows"), (): Clause => ({ kind: "rows", options: { allRows: true } }))
  const bareRows = map(alt(conditions, values), (filters): Clause => rowsOf(filters, false))
  const extreme = map(word("top", "bottom"), (meaning) => meaning === "top")
  const counter = opt(word("rows", "counter"))
  const groupRanking = alt(
    map(
      seq(extreme, opt(scanner.count), scanner.column, word("by"), alt(figures, bareFigures), after),
      ([largest, limit, column, , [figure, ...others], options]) =>
        rankedGroups(largest, limit, column, others.length > 0 ? undefined : figure, options)
    ),
    map(
      seq(alt(figures, bareFigures), extreme, scanner.count, counter, scanner.column, after),
      ([[figure, ...others], largest, limit, , column, options]) =>
        rankedGroups(largest, limit, column, others.length > 0 ? undefined : figure, options)
    )
  )
  const tableClause = alt(
    map(
      seq(opt(word("only")), word("first"), scanner.count, word("rows"), opt(word("asTable")), after),
      ([, , limit, , , options]): Clause => ({ kind: "table", limit, options })
    ),
    map(seq(scanner.count, word("rows"), opt(word("asTable"))), ([limit]): Clause => ({
      kind: "table",
      limit,
      options: {}
    })),
    map(seq(opt(word("rows")), word("asTable")), (): Clause => ({ kind: "table", limit: undefined, options: {} })),
    map(word("rows"), (): Clause => ({ kind: "table", limit: 10, options: {} }))
  )
  return {
    picking: rowsClause,
    bare: bareRows,
    allRows: allRowsClause,
    table: tableClause,
    top: topClause(scanner, parsers),
    groupRanking
  }
}

const topClause = (scanner: Scanner, { after }: TableParsers): Parser<Clause> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const rowWord = opt(word("rows"))
  const direction = map(word("ascending", "descending"), (meaning) => meaning === "descending")
  const extreme = map(word("top", "bottom"), (meaning) => meaning === "top")
  const counter = opt(word("rows", "counter"))
  return alt(
    map(
      seq(extreme, scanner.count, rowWord, word("by"), scanner.column, after),
      ([largest, limit, , , column, options]) => firstRows(largest, column, limit, options)
    ),
    map(seq(extreme, word("rows"), word("by"), scanner.column, after), ([largest, , , column, options]) =>
      firstRows(largest, column, undefined, options)
    ),
    map(
      seq(scanner.count, word("rows"), word("withHighest", "withLowest"), scanner.column, after),
      ([limit, , which, column, options]) => firstRows(which === "withHighest", column, limit, options)
    ),
    map(
      seq(
        opt(scanner.count),
        opt(word("rows", "allRows")),
        word("sortBy"),
        opt(word("rows", "allRows")),
        opt(word("by")),
        scanner.column,
        opt(scanner.comma),
        opt(direction),
        after
      ),
      ([limit, one, , other, , column, , descending, options]) =>
        firstRows(
          descending === true,
          column,
          limit,
          one === "allRows" || other === "allRows" ? { ...options, allRows: true } : options
        )
    ),
    // "price 最高的 2 行", "按 price 排名前 5", "按 price 从高到低排序，取前 3 行"
    map(
      seq(opt(word("by")), scanner.column, opt(word("sortBy")), extreme, scanner.count, counter, after),
      ([, column, , largest, limit, , options]) => firstRows(largest, column, limit, options)
    ),
    map(
      seq(opt(word("by")), scanner.column, extreme, word("first"), scanner.count, counter, after),
      ([, column, largest, , limit, , options]) => firstRows(largest, column, limit, options)
    ),
    map(
      seq(
        rowWord,
        opt(word("by")),
        scanner.column,
        opt(direction),
        opt(word("sortBy")),
        opt(direction),
        opt(scanner.comma),
        opt(word("only")),
        opt(map(seq(word("first"), scanner.count, counter), ([, limit]) => limit)),
        after
      ),
      ([, by, column, before, sorts, behind, , , limit, options]) =>
        before === undefined && behind === undefined && (sorts === undefined || by === undefined)
          ? undefined
          : firstRows(before ?? behind ?? limit !== undefined, column, limit, options)
    )
  )
}

const firstRows = (largest: boolean, column: number, limit: number | undefined, options: Options): Clause => ({
  kind: "top",
  column,
  limit: limit ?? 10,
  largest,
  options
})

const rowsOf = (filters: ReadonlyArray<Filter>, asTable: boolean): Clause =>
  asTable ? { kind: "table", limit: 10, options: { filters } } : { kind: "rows", options: { filters } }

const rankedGroups = (
  largest: boolean,
  limit: number | undefined,
  column: number,
  figure: Figure | undefined,
  options: Options
): Clause | undefined => {
  const all = joined([
    { by: { column, step: undefined }, order: largest ? "largest" : "smallest", limit: limit ?? 10 },
    options
  ])
  return all === undefined || figure === undefined ? undefined : { kind: "figures", figures: [figure], options: all }
}
