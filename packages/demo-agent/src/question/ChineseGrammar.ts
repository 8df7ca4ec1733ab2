import type { Clause, GroupBy } from "./Clause.ts"
import { clause, markOf, type ClauseParsers } from "./ClauseParsers.ts"
import { alt, map, opt, seq, type Parser } from "./Grammar.ts"
import { maybe, type Scanner } from "./Scanner.ts"

/** Builds the grammar of a Chinese clause. */
export const chineseClause = (scanner: Scanner, parsers: ClauseParsers): Parser<Clause> => {
  const { column, condition, group, measure, opening, thing, where, word } = parsers
  const tail = map(seq(maybe(word("isWhat"), word("asTable")), where), ([, each]) => ({ where: each }))
  const of = maybe(word("of"))
  const report = map(
    alt<unknown>(
      seq(opening, word("analyse", "report"), maybe(thing)),
      seq(maybe(thing), word("whatIsInIt")),
      seq(opening, thing, word("of"), word("report"))
    ),
    (): Clause => ({ kind: "report" })
  )
  const count = map(
    seq(opening, opt(group), of, maybe(word("show")), word("count"), opt(group), tail),
    ([, before, , , , behind, only]) => counted(before, behind, only)
  )
  const which = alt<Clause>(
    map(
      seq(word("which"), column, of, opt(measure), of, column, word("max", "min", "most", "least"), tail),
      ([, by, , figure, , index, extreme, only]) =>
        clause({
          kind: "which",
          group: by,
          measure: figure ?? "sum",
          column: index,
          isHighest: extreme === "max" || extreme === "most",
          ...only
        })
    ),
    map(seq(word("which"), column, of, word("count"), word("most", "least"), tail), ([, by, , , extreme, only]) =>
      clause({ kind: "which", group: by, measure: "count", isHighest: extreme === "most", ...only })
    )
  )
  const rowsWord = maybe(word("rows"))
  const only = map(seq(opening, word("only"), condition, of, rowsWord), ([, , each]): Clause => ({
    kind: "rows",
    where: each
  }))
  const rows = map(seq(opening, word("allRows", "rows"), tail), ([, , each]) => clause({ kind: "rows", ...each }))
  const first = map(seq(opening, word("first"), scanner.count, word("rows"), tail), ([, , limit, , each]) =>
    clause({ kind: "rows", limit, ...each })
  )
  const top = alt<Clause>(
    map(
      seq(opening, column, of, word("max"), of, scanner.count, word("rows"), tail),
      ([, index, , , , limit, , each]) => ranked(index, limit, each)
    ),
    map(
      seq(
        opening,
        maybe(word("by")),
        column,
        maybe(word("sort"), word("rank")),
        word("first"),
        scanner.count,
        rowsWord,
        tail
      ),
      ([, , index, , , limit, , each]) => ranked(index, limit, each)
    )
  )
  const direction = word("descending", "ascending")
  const sort = map(
    alt(
      map(seq(opening, word("by"), column, opt(direction), word("sort"), tail), ([, , index, each, , w]) => ({
        index,
        each,
        w
      })),
      map(seq(opening, word("by"), column, direction, tail), ([, , index, each, w]) => ({ index, each, w }))
    ),
    ({ each, index, w }) =>
      clause({ kind: "rows", order: { column: index, isDescending: each === "descending" }, ...w })
  )
  return alt<Clause>(
    report,
    count,
    figureClause(parsers, tail),
    chartClause(parsers, tail),
    which,
    top,
    first,
    sort,
    only,
    rows
  )
}

/** The figure of columns: "总 price", "price 的平均值". */
const figureOf = ({ columns, measure, word }: ClauseParsers) => {
  const of = maybe(word("of"))
  return alt(
    map(seq(measure, of, columns), ([each, , indexes]) => ({ measure: each, columns: indexes })),
    map(seq(columns, of, measure), ([indexes, , each]) => ({ measure: each, columns: indexes }))
  )
}

const figureClause = (parsers: ClauseParsers, tail: Parser<Pick<Clause, "where">>): Parser<Clause> => {
  const { group, opening, word } = parsers
  return map(
    seq(opening, opt(group), maybe(word("of"), word("show")), figureOf(parsers), opt(group), tail),
    ([, before, , figure, behind, only]) =>
      before !== undefined && behind !== undefined
        ? undefined
        : clause({ kind: "figures", ...figure, by: before ?? behind, ...only })
  )
}

/** "按月画 price 的图", "画每个 city 的总 price 的柱状图", "画图". */
const chartClause = (parsers: ClauseParsers, tail: Parser<Pick<Clause, "where">>): Parser<Clause> => {
  const { columns, group, opening, word } = parsers
  const of = maybe(word("of"))
  const drawn = alt<Pick<Extract<Clause, { kind: "chart" }>, "measure" | "columns">>(
    figureOf(parsers),
    map(columns, (indexes) => ({ columns: indexes })),
    map(word("count"), () => ({ measure: "count" as const, columns: [] }))
  )
  const noun = opt(word("barChart", "lineChart", "chart"))
  return alt<Clause>(
    map(
      seq(opening, opt(group), of, word("draw"), opt(group), of, drawn, of, noun, tail),
      ([, before, , , behind, , each, , mark, only]) =>
        before !== undefined && behind !== undefined
          ? undefined
          : clause({ kind: "chart", mark: markOf(mark), ...each, by: before ?? behind, ...only })
    ),
    map(seq(opening, word("draw"), word("barChart", "lineChart", "chart"), tail), ([, , mark, only]) =>
      clause({ kind: "chart", mark: markOf(mark), columns: [], ...only })
    )
  )
}

const ranked = (column: number, limit: number, only: Pick<Clause, "where">): Clause =>
  clause({ kind: "rows", limit, order: { column, isDescending: true }, ...only })

const counted = (
  before: GroupBy | undefined,
  behind: GroupBy | undefined,
  only: Pick<Clause, "where">
): Clause | undefined =>
  before !== undefined && behind !== undefined
    ? undefined
    : clause({ kind: "figures", measure: "count", columns: [], by: before ?? behind, ...only })
