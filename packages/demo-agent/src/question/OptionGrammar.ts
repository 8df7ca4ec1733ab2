import type { DateGranularity } from "../data/Aggregation.ts"
import type { Filter } from "../data/Filter.ts"
import type { Group, Options } from "./Clause.ts"
import { opposite, type ConditionParsers } from "./Conditions.ts"
import { alt, many, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import type { Scanner } from "./Scanner.ts"

/** The parsers of what belongs to a clause beside its figures. */
export interface OptionParsers {
  /** "only rows where region is EU", "rows with price > 5". */
  readonly only: Parser<ReadonlyArray<Filter>>
  /** "exclude EU": the conditions of the rows that stay. */
  readonly excluded: Parser<ReadonlyArray<Filter>>
  /** What stands behind a figure. */
  readonly after: Parser<Options>
  /** What stands before a figure, as Chinese has it: "上海每个 product 的总 quantity". */
  readonly leading: Parser<Options>
  /** A part with options before and behind it. */
  readonly around: <A>(core: Parser<A>) => Parser<readonly [A, Options]>
}

/** Builds the grammar of groups, conditions, output and order. */
export const optionParsers = (scanner: Scanner, { conditions, values }: ConditionParsers): OptionParsers => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const group = groupParser(scanner)
  const rowWord = opt(word("rows"))
  const excluded = map(
    seq(word("exclude"), rowWord, opt(word("where", "for")), conditions, rowWord, opt(word("rest"))),
    ([, , , filters]) => opposite(filters)
  )
  const only = alt(
    map(seq(word("only"), rowWord, opt(word("where", "for")), conditions, rowWord), ([, , , filters]) => filters),
    map(seq(rowWord, word("where"), conditions), ([, , filters]) => filters)
  )
  const option: Parser<Options> = alt<Options>(
    map(group, (by) => ({ by })),
    map(seq(opt(word("for")), word("allRows")), () => ({ allRows: true })),
    map(alt(only, excluded), (filters) => ({ filters })),
    map(
      seq(opt(scanner.comma), word("for"), rowWord, opt(word("where")), alt(conditions, values)),
      ([, , , , filters]) => ({ filters })
    ),
    map(seq(scanner.comma, values), ([, filters]) => ({ filters })),
    map(seq(opt(word("is")), opt(word("for")), scanner.fileName), () => ({})),
    map(word("asTable"), () => ({ table: true })),
    map(word("barChart"), () => ({ chart: "bar" })),
    map(word("lineChart"), () => ({ chart: "line" })),
    map(word("histogram"), () => ({ chart: "histogram" })),
    map(word("chart"), () => ({ chart: "any" })),
    map(seq(opt(word("sortBy")), word("ascending")), () => ({ order: "smallest" })),
    map(seq(opt(word("sortBy")), word("descending")), () => ({ order: "largest" })),
    map(seq(word("top"), scanner.count), ([, limit]) => ({ order: "largest", limit })),
    map(seq(word("bottom"), scanner.count), ([, limit]) => ({ order: "smallest", limit }))
  )
  const options = (separator: Parser<unknown>): Parser<Options> =>
    map(opt(many(option, separator)), (each) => (each === undefined ? {} : joined(each)))
  const before = options((at) => [[undefined, at]])
  const after = memo(
    map(
      seq(
        opt(alt<unknown>(seq(scanner.comma, word("but")), scanner.comma, word("but"))),
        options(opt(alt<unknown>(scanner.comma, word("but"))))
      ),
      ([, each]) => each
    )
  )
  /** Chinese puts conditions and groups before a figure, and "的" is a filler word. */
  const leading = memo(
    alt(
      map(seq(alt(conditions, values), rowWord, before), ([filters, , each]) => joined([{ filters }, each])),
      map(seq(before, values, rowWord), ([each, filters]) => joined([each, { filters }])),
      before
    )
  )
  const around = <A>(core: Parser<A>): Parser<readonly [A, Options]> =>
    map(seq(leading, core, alt(after, before)), ([first, value, last]) => {
      const all = joined([first, last])
      return all === undefined ? undefined : ([value, all] as const)
    })
  return { only, excluded, after, leading, around }
}

/** "by region", "by month", "by month of order_date", "monthly", "over time". */
const groupParser = (scanner: Scanner): Parser<Group> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const step = map(word("day", "week", "month", "quarter", "year", "weekday"), (meaning) => meaning as DateGranularity)
  const adverb = map(word("daily", "weekly", "monthly", "quarterly", "yearly"), (meaning): Group => ({
    column: undefined,
    step: ADVERBS[meaning]
  }))
  const dateColumn = map(scanner.column, (column) => (scanner.names.dates.includes(column) ? column : undefined))
  return alt(
    map(seq(word("by"), opt(word("counter")), dateColumn, opt(word("by")), step), ([, , column, , each]) => ({
      column,
      step: each
    })),
    map(seq(word("by"), step, dateColumn), ([, each, column]) => ({ column, step: each })),
    // A date column that is called "month" is grouped by month.
    (at) => {
      const named = seq(word("by"), scanner.column)(at).flatMap(([[, column], end]) => [[column, end] as const])
      return seq(
        word("by"),
        step
      )(at).flatMap(([[, each], end]) => {
        const same = named.filter(([, other]) => other === end).map(([column]) => column)
        const dates = same.filter((column) => scanner.names.dates.includes(column))
        return same.length > 0 && dates.length === 0 ? [] : [[{ column: dates[0], step: each }, end] as const]
      })
    },
    map(seq(word("by"), opt(word("counter")), scanner.column), ([, , column]) => ({ column, step: undefined })),
    map(word("overTime"), () => ({ column: undefined, step: undefined })),
    adverb
  )
}

/** Joins options; undefined where one of them is said twice. */
export const joined = (all: ReadonlyArray<Options | undefined>): Options | undefined => {
  let result: Options = {}
  for (const each of all) {
    if (each === undefined) return undefined
    for (const key of Object.keys(each) as Array<keyof Options>) {
      if (key === "chart" && (each.chart === "any" || result.chart === "any" || result.chart === each.chart)) continue
      if (key in result) return undefined
    }
    const chart =
      [result.chart, each.chart].find((mark) => mark !== undefined && mark !== "any") ?? result.chart ?? each.chart
    result = { ...result, ...each, ...(chart === undefined ? {} : { chart }) }
  }
  return result
}

/** Tells whether a clause says nothing beside its conditions. */
export const isOnlyFiltered = ({ by, chart, limit, order }: Options): boolean =>
  (by ?? chart ?? limit ?? order) === undefined

const ADVERBS: Partial<Record<Meaning, DateGranularity>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  quarterly: "quarter",
  yearly: "year"
}
