import type { Measure } from "../data/Groups.ts"
import type { Clause } from "./Clause.ts"
import { clause, markOf, type ClauseParsers } from "./ClauseParsers.ts"
import { alt, map, opt, seq, type Parser } from "./Grammar.ts"
import { maybe, type Scanner } from "./Scanner.ts"

/** Builds the grammar of an English clause. */
export const englishClause = (scanner: Scanner, parsers: ClauseParsers): Parser<Clause> => {
  const { column, columns, condition, group, measure, opening, thing, where, word } = parsers
  const place = maybe(word("areThere"), seq(word("inside"), thing))
  const tail = map(seq(place, maybe(word("asTable")), where, maybe(word("please"))), ([, , each]) => ({ where: each }))
  const ofThe = maybe(word("of"), word("the"))

  const report = map(
    alt<unknown>(
      seq(opening, word("analyse"), maybe(thing)),
      seq(opening, word("report"), maybe(word("inside"), thing)),
      seq(word("whatIsIn"), thing, maybe(word("contain"))),
      scanner.fileName
    ),
    (): Clause => ({ kind: "report" })
  )
  const count = map(seq(opening, word("count"), place, opt(group), tail), ([, , , by, only]): Clause =>
    clause({ kind: "figures", measure: "count", columns: [], by, ...only })
  )
  const figures = map(seq(opening, measure, ofThe, columns, opt(group), tail), ([, of, , each, by, only]): Clause =>
    clause({ kind: "figures", measure: of, columns: each, by, ...only })
  )
  const extreme = alt<readonly [boolean, Measure | undefined]>(
    map(seq(word("max", "most"), opt(measure)), ([, of]) => [true, of] as const),
    map(seq(word("min", "least"), opt(measure)), ([, of]) => [false, of] as const)
  )
  const which = map(
    seq(
      word("which"),
      column,
      word("has"),
      maybe(word("the")),
      extreme,
      alt(
        column,
        map(word("rows"), () => -1)
      ),
      tail
    ),
    ([, by, , , [isHighest, of], index, only]): Clause | undefined =>
      index < 0 && of !== undefined
        ? undefined
        : clause({
            kind: "which",
            group: by,
            measure: index < 0 ? "count" : (of ?? "sum"),
            column: index < 0 ? undefined : index,
            isHighest,
            ...only
          })
  )
  const rows = map(seq(opening, alt<unknown>(word("allRows"), word("rows")), tail), ([, , only]): Clause =>
    clause({ kind: "rows", ...only })
  )
  const only = map(seq(opening, word("only"), word("where"), condition), ([, , , each]): Clause => ({
    kind: "rows",
    where: each
  }))
  const first = map(seq(opening, word("first"), scanner.count, word("rows"), tail), ([, , limit, , each]): Clause =>
    clause({ kind: "rows", limit, ...each })
  )
  const top = map(
    seq(opening, word("top"), scanner.count, maybe(word("rows")), word("by"), column, tail),
    ([, , limit, , , index, each]): Clause =>
      clause({ kind: "rows", limit, order: { column: index, isDescending: true }, ...each })
  )
  const sort = map(
    seq(opening, word("sort"), word("by"), column, opt(word("descending", "ascending")), tail),
    ([, , , index, direction, each]): Clause =>
      clause({ kind: "rows", order: { column: index, isDescending: direction === "descending" }, ...each })
  )
  return alt<Clause>(report, count, figures, chartClause(parsers, tail), which, top, first, sort, only, rows)
}

/** "chart price by month", "draw a bar chart of total price by city", "plot count by city", "draw a chart". */
const chartClause = (parsers: ClauseParsers, tail: Parser<Pick<Clause, "where">>): Parser<Clause> => {
  const { columns, group, measure, opening, over, word } = parsers
  const noun = map(word("barChart", "lineChart", "chart"), (meaning) => ({ mark: markOf(meaning) }))
  const head = alt(
    map(seq(opening, maybe(word("draw"), word("the")), noun), ([, , mark]) => mark),
    map(seq(opening, word("draw")), () => ({ mark: undefined }))
  )
  const ofThe = maybe(word("of"), word("the"))
  const by = alt(group, over)
  return alt<Clause>(
    map(seq(head, ofThe, opt(seq(measure, ofThe)), columns, opt(by), tail), ([{ mark }, , of, each, grouped, only]) =>
      clause({ kind: "chart", mark, measure: of?.[0], columns: each, by: grouped, ...only })
    ),
    map(seq(head, ofThe, word("count"), by, tail), ([{ mark }, , , grouped, only]) =>
      clause({ kind: "chart", mark, measure: "count", columns: [], by: grouped, ...only })
    ),
    map(seq(head, tail), ([{ mark }, only]) => clause({ kind: "chart", mark, columns: [], ...only }))
  )
}
