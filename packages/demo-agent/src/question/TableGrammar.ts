import type { Table } from "../data/Table.ts"
import type { Clause } from "./Clause.ts"
import { conditionParsers } from "./Conditions.ts"
import { figureParsers } from "./FigureGrammar.ts"
import { alt, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import { optionParsers } from "./OptionGrammar.ts"
import { rowsParsers } from "./RowsGrammar.ts"
import type { Scanner } from "./Scanner.ts"
import { verbalClause } from "./VerbalGrammar.ts"

type Clauses = ReadonlyArray<Clause>

/**
 * Builds the grammar of requests about a table: clauses, each with all that belongs to it. What has no verb may not
 * follow a comma or "and": "by city and region" is no question about a region.
 */
export const tableGrammar = (scanner: Scanner, table: Table, isFromJson: boolean): Parser<Clauses> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const ofConditions = conditionParsers(scanner, table)
  const parsers = {
    ...ofConditions,
    ...figureParsers(scanner, table, ofConditions),
    ...optionParsers(scanner, ofConditions)
  }
  const rows = rowsParsers(scanner, parsers)
  const verbal = verbalClause(scanner, parsers, isFromJson)
  const bareDescribe = map(parsers.columns, (each): Clause => ({ kind: "describe", columns: each, options: {} }))
  const weak = alt<unknown>(seq(scanner.comma, word("and")), scanner.comma, word("and"))
  const strong = alt<unknown>(
    seq(opt(scanner.comma), opt(word("and")), word("next")),
    seq(scanner.stop, opt(word("next", "and")))
  )
  /** A clause alone, or with what may follow it. */
  const chain = (first: Parser<Clause>, next: (clause: Clause) => Parser<Clauses>): Parser<Clauses> =>
    memo((at) =>
      first(at).flatMap(([clause, end]) => [
        ...next(clause)(end).map(([more, until]) => [[clause, ...more], until] as const),
        [[clause], end] as const
      ])
    )
  const behind = (sign: Parser<unknown>, clauses: Parser<Clauses>): Parser<Clauses> =>
    map(seq(sign, clauses), ([, more]) => more)
  const every: Parser<Clauses> = memo((at) => alt(resetting, calculating, picking, describing)(at))
  const afterThen = behind(strong, every)
  /** In "price by city and total quantity", nobody knows whether the second figure is meant by city. */
  const sameShape = (clause: Clause): Parser<Clauses> =>
    map(verbalFirst, (more) => (more[0] !== undefined && isAlike(clause, more[0]) ? more : undefined))
  const afterFigures = (clause: Clause): Parser<Clauses> => alt(afterThen, behind(weak, sameShape(clause)))
  const verbalFirst = chain(verbal, afterFigures)
  const calculating = chain(alt(rows.top, rows.groupRanking, verbal, rows.table), afterFigures)
  const resetting = chain(rows.allRows, () => alt(afterThen, behind(weak, every)))
  const explicit = chain(rows.picking, () => afterPicking)
  const picking = chain(alt(rows.picking, rows.bare), () => afterPicking)
  const afterPicking: Parser<Clauses> = memo((at) => alt(afterThen, behind(weak, alt(calculating, explicit)))(at))
  const describing = chain(bareDescribe, () => afterThen)
  return every
}

/** Tells whether two clauses have a condition or none, and two of figures a group or none. */
const isAlike = (one: Clause, other: Clause): boolean =>
  (one.options.filters === undefined) === (other.options.filters === undefined) &&
  (one.kind !== "figures" ||
    other.kind !== "figures" ||
    (one.options.by === undefined) === (other.options.by === undefined))
