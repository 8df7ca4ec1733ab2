import type { Measure } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"
import type { ConditionParsers } from "./Conditions.ts"
import { rowCount, type Figure } from "./Clause.ts"
import { alt, many, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import type { Scanner } from "./Scanner.ts"

/** The parsers of what is calculated. */
export interface FigureParsers {
  /** Columns that are joined with "and" or commas. */
  readonly columns: Parser<ReadonlyArray<number>>
  /** "average price and quantity", "price 的平均值和中位数", "how many rows": a calculation holds for all its columns. */
  readonly figures: Parser<ReadonlyArray<Figure>>
  /** Columns without a calculation. */
  readonly bareFigures: Parser<ReadonlyArray<Figure>>
  /** "total EU sales": a calculation with values of the rows before its columns. */
  readonly ofRows: Parser<readonly [figures: ReadonlyArray<Figure>, filters: ReadonlyArray<Filter>]>
  /** A word that counts rows, unless it is the name of a column. */
  readonly countWord: Parser<Meaning>
}

/** Builds the grammar of figures. */
export const figureParsers = (scanner: Scanner, table: Table, { values }: ConditionParsers): FigureParsers => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const listSign = alt<unknown>(seq(scanner.comma, word("and")), scanner.comma, word("and"))

  const columns = memo(many(scanner.column, listSign))
  const measures = many(
    map(word("sum", "mean", "median", "min", "max"), (meaning) => meaning as Measure),
    listSign
  )
  const cross = (ofMeasures: ReadonlyArray<Measure>, ofColumns: ReadonlyArray<number>): ReadonlyArray<Figure> =>
    ofColumns.flatMap((column) => ofMeasures.map((measure) => ({ measure, column })))
  // A column may be called "count".
  const countWord: Parser<Meaning> = (at) =>
    word("countRows", "count")(at).filter(([, end]) => scanner.column(at).every(([, until]) => until !== end))
  const countOfRows = map(
    alt<unknown>(seq(word("count", "countRows"), word("rows")), countWord),
    (): ReadonlyArray<Figure> => [rowCount]
  )
  const valueCount = map(
    seq(word("count"), opt(word("counter")), opt(word("different")), scanner.column),
    ([, , , column]): ReadonlyArray<Figure> | undefined =>
      table.columns[column]?.kind === "boolean" ? undefined : [{ measure: "count", column }]
  )
  const measured = memo(
    alt(
      map(seq(measures, columns), ([ofMeasures, ofColumns]) => cross(ofMeasures, ofColumns)),
      map(seq(columns, measures), ([ofColumns, ofMeasures]) => cross(ofMeasures, ofColumns)),
      valueCount,
      countOfRows
    )
  )
  const figures = memo(map(many(measured, listSign), (each) => each.flat()))
  const bareFigures = map(columns, (each) => each.map((column): Figure => ({ measure: undefined, column })))
  const ofRows = map(
    seq(measures, values, columns),
    ([ofMeasures, filters, ofColumns]) => [cross(ofMeasures, ofColumns), filters] as const
  )
  return { columns, figures, bareFigures, ofRows, countWord }
}
