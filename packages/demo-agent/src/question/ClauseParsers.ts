import type { Condition, Operator } from "../data/Condition.ts"
import type { Measure } from "../data/Groups.ts"
import type { Table } from "../data/Table.ts"
import type { Clause, GroupBy } from "./Clause.ts"
import { alt, many, map, opt, seq, type Parser } from "./Grammar.ts"
import { maybe, type Scanner } from "./Scanner.ts"
import type { Meaning } from "./Words.ts"

/** The parsers that English and Chinese clauses share. */
export const clauseParsers = (scanner: Scanner, table: Table) => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const { column } = scanner
  const condition: Parser<Condition> = (at) =>
    seq(
      column,
      word("is", "isNot", "more", "less", "atLeast", "atMost", "contains")
    )(at).flatMap(([[index, sign], end]) => {
      const operator = OPERATORS[sign] ?? "is"
      return map(scanner.value(index, operator), (value): Condition => ({ column: index, operator, value }))(end)
    })
  const dates = table.columns.flatMap(({ kind }, index) => (kind === "date" ? [index] : []))
  const onlyDate = dates.length === 1 ? dates[0] : undefined
  const step = map(word("month", "year"), (meaning) => (meaning === "month" ? "month" : "year"))
  /** What stands behind "by". The name of a column wins over a step of time. */
  const grouped: Parser<GroupBy> = alt<GroupBy>(
    map(column, (index) =>
      table.columns[index]?.kind === "date" && /^(?:month|year)$/i.test(table.columns[index].name)
        ? { column: index, step: /^month$/i.test(table.columns[index].name) ? "month" : "year" }
        : { column: index }
    ),
    map(seq(step, word("of"), column), ([each, , index]) => ({ column: index, step: each })),
    map(seq(column, word("of"), step), ([index, , each]) => ({ column: index, step: each })),
    map(step, (each) => ({ column: onlyDate, step: each }))
  )
  const thing = alt<unknown>(word("thing"), scanner.fileName)
  const place = maybe(word("areThere"), seq(word("inside"), thing))
  const where = opt(map(seq(maybe(scanner.comma), word("where"), condition), ([, , each]) => each))
  return {
    word,
    column,
    columns: map(many(column, word("and")), (indexes) => [...new Set(indexes)]),
    measure: map(word("sum", "mean", "median", "min", "max"), (meaning) => meaning as Measure),
    group: map(seq(word("by"), grouped), ([, by]) => by),
    over: map(seq(word("over"), grouped), ([, by]) => by),
    condition,
    opening: maybe(word("please"), word("canYou"), word("please"), word("show"), word("the")),
    of: maybe(word("of"), word("the")),
    thing,
    place,
    /** What may stand at the end of a clause. */
    tail: map(
      seq(place, maybe(word("isWhat"), word("asTable")), where, maybe(scanner.comma, word("please"))),
      ([, , each]) => ({
        where: each
      })
    )
  }
}

/** What {@link clauseParsers} makes. */
export type ClauseParsers = ReturnType<typeof clauseParsers>

/** A clause without the parts that a request does not have. */
export const clause = (value: Clause): Clause =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Clause

const OPERATORS: Partial<Record<Meaning, Operator>> = {
  is: "is",
  isNot: "is not",
  more: ">",
  less: "<",
  atLeast: ">=",
  atMost: "<=",
  contains: "contains"
}
