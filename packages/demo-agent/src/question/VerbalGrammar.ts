import type { Filter } from "../data/Filter.ts"
import { rowCount, type Clause, type Options } from "./Clause.ts"
import type { ConditionParsers } from "./Conditions.ts"
import type { FigureParsers } from "./FigureGrammar.ts"
import { alt, many, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import { isOnlyFiltered, joined, type OptionParsers } from "./OptionGrammar.ts"
import type { Scanner } from "./Scanner.ts"

/** The parsers that the clauses are made of. */
export type TableParsers = ConditionParsers & FigureParsers & OptionParsers

/** Builds the grammar of clauses that say by a verb or a calculation what they ask for, so that they may follow "and". */
export const verbalClause = (scanner: Scanner, parsers: TableParsers, isFromJson: boolean): Parser<Clause> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const { after, columns, leading } = parsers
  const quality = map(
    seq(leading, word("columns", "outliers", "missingValues", "duplicates"), after),
    ([first, meaning, last]): Clause | undefined => {
      const kind = meaning === "missingValues" ? "missing" : (meaning as "columns" | "outliers" | "duplicates")
      const all = joined([first, last])
      return all === undefined || !isOnlyFiltered(all) ? undefined : { kind, options: all }
    }
  )
  const describe = map(
    alt(
      map(
        seq(word("describe"), columns, opt(word("areThere")), after),
        ([, each, , options]) => [each, options] as const
      ),
      map(
        seq(word("histogram"), columns, after),
        ([, each, options]) => [each, { ...options, chart: "histogram" as const }] as const
      )
    ),
    ([each, options]): Clause | undefined =>
      options.chart === "histogram"
        ? { kind: "figures", figures: each.map((column) => ({ measure: undefined, column })), options }
        : isOnlyFiltered(options)
          ? { kind: "describe", columns: each, options }
          : undefined
  )
  const shape = isFromJson ? map(word("shape"), (): Clause => ({ kind: "shape", options: {} })) : () => []
  const whole = map(wholeLook(scanner), (kind): Clause => ({ kind, options: {} }))
  return memo(
    alt<Clause>(
      scatterClause(scanner, parsers),
      figureClause(scanner, parsers),
      countClause(scanner, parsers),
      quality,
      describe,
      shape,
      whole
    )
  )
}

/** "average price by city", "chart price by month", "price by region", "chart by month". */
const figureClause = (
  scanner: Scanner,
  { after, around, bareFigures, figures, ofRows }: TableParsers
): Parser<Clause> => {
  const measured = map(around(figures), ([each, options]): Clause => ({
    kind: "figures",
    figures: each,
    options: options
  }))
  const bare = map(around(bareFigures), ([each, options]): Clause | undefined =>
    (options.chart ?? options.by ?? options.filters) === undefined
      ? undefined
      : { kind: "figures", figures: each, options }
  )
  const chosen = map(seq(ofRows, after), ([[each, filters], options]): Clause | undefined => {
    const all = joined([{ filters }, options])
    return all === undefined ? undefined : { kind: "figures", figures: each, options: all }
  })
  const groups = map(
    around((at) => [[true, at]]),
    ([, options]): Clause | undefined =>
      options.by !== undefined && options.chart !== undefined
        ? { kind: "figures", figures: [rowCount], options }
        : undefined
  )
  const rows = map(around(scanner.word("rows")), ([, options]): Clause | undefined =>
    options.by !== undefined ? { kind: "figures", figures: [rowCount], options } : undefined
  )
  return alt(measured, chosen, bare, groups, rows)
}

/** "chart price vs quantity", "price 和 quantity 的散点图". */
const scatterClause = (scanner: Scanner, { after }: TableParsers): Parser<Clause> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const pair = map(seq(scanner.column, word("versus", "and", "by"), scanner.column), ([y, sign, x]) => ({ y, sign, x }))
  return alt(
    map(seq(word("scatter"), pair, after), ([, { x, y }, options]): Clause => ({ kind: "scatter", x, y, options })),
    map(
      seq(opt(word("chart")), pair, opt(word("scatter", "chart")), after),
      ([asked, { sign, x, y }, drawn, options]): Clause | undefined =>
        (sign === "versus" && asked !== undefined) || drawn === "scatter"
          ? { kind: "scatter", x, y, options }
          : undefined
    )
  )
}

/** "how many are paid", "how many EU rows", "price 大于 100 的有几行". */
const countClause = (scanner: Scanner, { after, conditions, countWord, values, yes }: TableParsers): Parser<Clause> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const rowWord = opt(word("rows"))
  return alt(
    map(seq(word("count"), rowWord, word("is"), alt(conditions, values, yes), after), ([, , , filters, options]) =>
      counted(filters, options)
    ),
    map(seq(word("count"), alt(values, yes), word("rows"), after), ([, filters, , options]) =>
      counted(filters, options)
    ),
    map(seq(conditions, rowWord, countWord, rowWord, after), ([filters, , , , options]) => counted(filters, options))
  )
}

const counted = (filters: ReadonlyArray<Filter>, options: Options): Clause | undefined => {
  const all = joined([{ filters }, options])
  return all === undefined ? undefined : { kind: "figures", figures: [rowCount], options: all }
}

/** The word for a full look at the data, with what it is about: "what is in this file?", "analyse it". */
export const wholeLook = (scanner: Scanner): Parser<"profile" | "help"> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const thing = many(alt<unknown>(word("thing", "profileKind"), scanner.fileName, word("allRows")))
  return alt<"profile" | "help">(
    map(word("help"), () => "help"),
    map(seq(opt(thing), word("profile"), opt(thing), opt(word("profile")), opt(thing)), () => "profile"),
    map(seq(word("whatIs"), thing), () => "profile"),
    map(seq(word("describe"), thing), () => "profile"),
    map(seq(thing, word("whatIsIn")), () => "profile")
  )
}
