import type { Measure } from "../data/Groups.ts"
import type { Clause } from "./Clause.ts"
import { clause, type ClauseParsers } from "./ClauseParsers.ts"
import { alt, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import { maybe, type Scanner } from "./Scanner.ts"
import type { Meaning } from "./Words.ts"

/** Builds the grammar of a clause. English and Chinese differ in their words and in the order of the parts. */
export const clauseGrammar = (scanner: Scanner, parsers: ClauseParsers): Parser<Clause> =>
  memo(
    alt(
      report(scanner, parsers),
      figures(parsers),
      chart(parsers),
      which(parsers),
      ranked(scanner, parsers),
      rows(scanner, parsers)
    )
  )

/** "what is in this file?", "分析一下这份数据", or only the name of the file. */
const report = ({ fileName }: Scanner, { opening, thing, word }: ClauseParsers): Parser<Clause> =>
  map(
    alt<unknown>(
      seq(opening, word("analyse", "report"), maybe(word("inside"), thing, word("please"))),
      seq(opening, thing, word("of"), word("report")),
      seq(opening, word("whatIsIn"), thing, maybe(word("contain"))),
      seq(opening, maybe(thing), word("whatIsInIt")),
      fileName
    ),
    () => ({ kind: "report" })
  )

/** "total price and quantity by city", "各城市的平均单价", "number of rows by city". */
const figures = ({ columns, group, measure, of, opening, place, tail, word }: ClauseParsers): Parser<Clause> => {
  const figure = alt<{ readonly measure: Measure; readonly columns: ReadonlyArray<number> }>(
    map(seq(word("count"), place), () => ({ measure: "count", columns: [] })),
    map(seq(measure, of, columns), ([each, , indexes]) => ({ measure: each, columns: indexes })),
    map(seq(columns, word("of"), measure), ([indexes, , each]) => ({ measure: each, columns: indexes }))
  )
  return map(
    seq(opening, opt(group), maybe(word("of"), word("show")), figure, opt(group), tail),
    ([, before, , asked, behind, only]) =>
      before !== undefined && behind !== undefined
        ? undefined
        : clause({ kind: "figures", ...asked, by: before ?? behind, ...only })
  )
}

/** "chart price by month", "draw a bar chart of total price by city", "按月画 price 的图", "draw a chart". */
const chart = ({ columns, group, measure, of, opening, over, tail, word }: ClauseParsers): Parser<Clause> => {
  const noun = map(word("barChart", "lineChart", "chart"), (meaning) => ({ mark: MARKS[meaning] }))
  const head = alt(
    map(seq(maybe(word("draw"), word("the")), noun), ([, mark]) => mark),
    map(word("draw"), () => ({ mark: undefined }))
  )
  const drawn = alt<{ readonly measure?: Measure; readonly columns: ReadonlyArray<number> }>(
    map(seq(measure, of, columns), ([each, , indexes]) => ({ measure: each, columns: indexes })),
    map(seq(columns, word("of"), measure), ([indexes, , each]) => ({ measure: each, columns: indexes })),
    map(columns, (indexes) => ({ columns: indexes })),
    map(word("count"), () => ({ measure: "count", columns: [] }))
  )
  const by = opt(alt(group, over))
  const all = map(
    seq(opening, opt(group), head, opt(group), of, drawn, of, opt(noun), by, tail),
    ([, before, { mark }, between, , asked, , named, behind, only]) => {
      const groups = [before, between, behind].filter((each) => each !== undefined)
      const [first] = groups
      return groups.length > 1 || (asked.columns.length === 0 && first === undefined)
        ? undefined
        : clause({ kind: "chart", mark: mark ?? named?.mark, ...asked, by: first, ...only })
    }
  )
  const bare = map(seq(opening, head, tail), ([, { mark }, only]) =>
    clause({ kind: "chart", mark, columns: [], ...only })
  )
  return alt(all, bare)
}

const MARKS: Partial<Record<Meaning, "bar" | "line">> = { barChart: "bar", lineChart: "line" }

/** "which city has the highest price?", "哪个城市的单价最高？", "which city has the most rows?" */
const which = ({ column, measure, of, tail, word }: ClauseParsers): Parser<Clause> => {
  const extreme = map(word("max", "most", "min", "least"), (meaning) => ({
    isHighest: meaning === "max" || meaning === "most"
  }))
  const figure = alt<{ readonly measure: Measure; readonly column?: number }>(
    map(seq(opt(measure), of, column), ([each, , index]) => ({ measure: each ?? "sum", column: index })),
    map(word("rows", "count"), () => ({ measure: "count" }))
  )
  return alt(
    map(
      seq(word("which"), column, word("has"), maybe(word("the")), extreme, figure, tail),
      ([, group, , , each, asked, only]) => clause({ kind: "which", group, ...each, ...asked, ...only })
    ),
    map(seq(word("which"), column, word("of"), figure, extreme, tail), ([, group, , asked, each, only]) =>
      clause({ kind: "which", group, ...each, ...asked, ...only })
    )
  )
}

/** "top 5 by price", "price 最高的 5 行", "sort by price descending", "按单价降序排序". */
const ranked = ({ count }: Scanner, { column, of, opening, tail, word }: ClauseParsers): Parser<Clause> => {
  const some = word("rows")
  const top = alt<readonly [number, number]>(
    map(seq(word("top"), count, maybe(some), word("by"), column), ([, limit, , , index]) => [index, limit]),
    map(seq(column, of, word("max"), of, count, some), ([index, , , , limit]) => [index, limit]),
    map(
      seq(maybe(word("by")), column, maybe(word("sort"), word("rank")), word("first"), count, maybe(some)),
      ([, index, , , limit]) => [index, limit]
    )
  )
  const direction = word("descending", "ascending")
  const sort = alt<readonly [number, Meaning | undefined]>(
    map(seq(word("sort"), word("by"), column, opt(direction)), ([, , index, each]) => [index, each]),
    map(seq(word("by"), column, opt(direction), word("sort")), ([, index, each]) => [index, each])
  )
  return alt(
    map(seq(opening, top, tail), ([, [index, limit], only]) =>
      clause({ kind: "rows", limit, order: { column: index, isDescending: true }, ...only })
    ),
    map(seq(opening, sort, tail), ([, [index, each], only]) =>
      clause({ kind: "rows", order: { column: index, isDescending: each === "descending" }, ...only })
    )
  )
}

/** "first 3 rows", "show the rows", "only rows where city is Bonn", "只看城市为北京的行". */
const rows = ({ count }: Scanner, { condition, of, opening, tail, word }: ClauseParsers): Parser<Clause> =>
  alt(
    map(seq(opening, word("first"), count, word("rows"), tail), ([, , limit, , only]) =>
      clause({ kind: "rows", limit, ...only })
    ),
    map(seq(opening, word("allRows", "rows"), tail), ([, , only]) => clause({ kind: "rows", ...only })),
    map(seq(opening, word("only"), maybe(word("where")), condition, of, maybe(word("rows"))), ([, , , where]) =>
      clause({ kind: "rows", where })
    )
  )
