import { parsePeriod } from "../data/Dates.ts"
import { parseBoolean } from "../data/Booleans.ts"
import { parseColumnNumber, type Condition, type Filter, type Operator } from "../data/Filter.ts"
import { unitOf } from "../data/Numbers.ts"
import { isDate, isLabel, isNumber, type Column, type Table } from "../data/Table.ts"
import { alt, many, map, memo, opt, seq, type Parser } from "./Grammar.ts"
import type { Meaning } from "./Lexicon.ts"
import type { CellValue } from "./Names.ts"
import type { Scanner } from "./Scanner.ts"

/** The parsers of conditions on the rows of a table. */
export interface ConditionParsers {
  /** "region is EU and price > 10"; all of them must hold, or with "or" one of them. */
  readonly conditions: Parser<ReadonlyArray<Filter>>
  /** Values without their column: "EU or APAC", "2024-02". */
  readonly values: Parser<ReadonlyArray<Filter>>
  /** A column of yes and no: "paid". */
  readonly yes: Parser<ReadonlyArray<Filter>>
}

/** Builds the grammar of conditions. */
export const conditionParsers = (scanner: Scanner, table: Table): ConditionParsers => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const columnAt = (index: number): Column | undefined => table.columns[index]
  const sign = listSign(scanner)

  const conditionOn = (index: number, isElided = false): Parser<Filter> =>
    columnCondition(scanner, columnAt(index), index, isElided)
  const one: Parser<{ readonly index: number; readonly filter: Filter }> = memo((at) =>
    scanner
      .column(at)
      .flatMap(([index, end]) => conditionOn(index)(end).map(([filter, next]) => [{ index, filter }, next] as const))
  )
  const yes = map(scanner.column, (index) => {
    const column = columnAt(index)
    const values =
      column?.kind === "boolean" && isLabel(column) ? column.labels.filter((each) => parseBoolean(each) === true) : []
    return column === undefined || values.length === 0
      ? undefined
      : [{ any: [{ column: column.name, operator: "is" as const, values }] }]
  })
  const bare = (value: ReadonlyArray<CellValue>): Filter | undefined => {
    const [only, ...others] = value
    const name = columnAt(only?.column ?? -1)?.name
    if (only === undefined || name === undefined) return undefined
    if (others.length === 0) return { any: [{ column: name, operator: "is", values: [only.label] }] }
    scanner.names.ambiguous.set(
      only.label,
      value.flatMap(({ column, label }) => columnAt(column)?.name.concat(` is ${label}`) ?? [])
    )
    return undefined
  }
  const bareValue = map(scanner.value, bare)
  const barePeriod = map(scanner.period, (text): Filter | undefined => {
    const [only, ...others] = scanner.names.dates
    const column = columnAt(only ?? -1)
    if (others.length > 0)
      scanner.names.ambiguous.set(
        text,
        scanner.names.dates.flatMap((index) => columnAt(index)?.name ?? [])
      )
    return column === undefined || others.length > 0
      ? undefined
      : { any: [{ column: column.name, operator: "is", values: [text] }] }
  })
  const negated = map(seq(word("not"), bareValue), ([, filter]) => opposite([filter]))
  const values = alt(
    negated,
    map(many(bareValue, sign), mergeValues),
    map(barePeriod, (filter) => [filter])
  )

  /** A condition whose column is that of the one before: "price over 5 and below 9". */
  const chain = (at: number): ReturnType<Parser<ReadonlyArray<Filter>>> =>
    one(at).flatMap(([{ filter, index }, end]) => {
      const more = many(
        map(
          seq(
            alt<unknown>(word("but"), scanner.comma),
            alt(
              conditionOn(index, true),
              map(one, (each) => each.filter)
            )
          ),
          ([, each]) => each
        )
      )
      return [...more(end).map(([filters, next]) => [[filter, ...filters], next] as const), [[filter], end] as const]
    })
  const any: Parser<ReadonlyArray<Filter>> = map(
    many(
      alt(
        map(one, ({ filter }) => filter),
        bareValue
      ),
      alt<unknown>(word("or"), seq(scanner.comma, word("or")))
    ),
    (filters) => (filters.length < 2 ? undefined : [{ any: filters.flatMap((filter) => filter.any) }])
  )
  const simple = alt<ReadonlyArray<Filter>>(
    chain,
    values,
    yes,
    map(seq(word("not"), yes), ([, filters]) => opposite(filters))
  )
  const all = map(many(simple, alt<unknown>(seq(scanner.comma, word("but")), word("but"), scanner.comma)), (parts) =>
    parts.flat()
  )
  return { conditions: memo(alt(all, any)), values: memo(values), yes: memo(yes) }
}

/** A condition on a column behind its name; one without the name needs an operator. */
const columnCondition = (
  scanner: Scanner,
  column: Column | undefined,
  index: number,
  isElided: boolean
): Parser<Filter> => {
  if (column === undefined) return () => []
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const make = (operator: Operator, values: ReadonlyArray<string>): Filter => ({
    any: [{ column: column.name, operator, values }]
  })
  const is = opt(word("is"))
  const presence = map(seq(is, word("missing", "present")), ([, meaning]) =>
    make(meaning === "missing" ? "is missing" : "is present", [])
  )
  const contains = map(seq(opt(word("is")), word("contains"), scanner.anyText), ([, , text]) =>
    make("contains", [text])
  )
  const starts = alt(
    map(seq(word("startsWith"), scanner.anyText), ([, text]) => make("starts with", [text])),
    map(seq(word("startsWith"), scanner.anyText, word("start")), ([, text]) => make("starts with", [text]))
  )
  // "revenue in 2025" is about the dates.
  const inside: Parser<unknown> = isNumber(column) ? (at) => [[undefined, at]] : opt(word("for"))
  const equal = map(
    seq(isElided ? word("equals") : opt(word("equals")), inside, operands(scanner, column, index)),
    ([sign, , values]) =>
      sign === undefined && isMeasurable(column) && values.some((each) => YEAR.test(each))
        ? undefined
        : make("is", values)
  )
  const differs = map(
    seq(opt(word("is")), word("differs"), inside, operands(scanner, column, index)),
    ([, , , values]) => make("is not", values)
  )
  if (isLabel(column)) return alt(presence, differs, equal, contains, starts)
  const value = operand(scanner, column)
  // "Orders over 100" is no question about their numbers.
  const comparing: Parser<Meaning> = (at) =>
    word(
      "more",
      "atLeast",
      "less",
      "atMost"
    )(at).filter(([, end]) => !isIdentifier(column) || word("level")(at).every(([, until]) => until !== end))
  const compared = map(seq(is, comparing, value), ([, meaning, text]) => make(COMPARED[meaning] ?? "is", [text]))
  const range = map(seq(is, word("between"), value, word("to"), value, opt(word("endOfRange"))), ([, , low, , high]) =>
    make("between", [low, high])
  )
  const around = map(seq(opt(word("for")), value, word("before", "after")), ([, text, meaning]) =>
    make(meaning === "before" ? "<" : ">", [text])
  )
  return alt(presence, range, around, compared, differs, equal, contains, starts)
}

/** The values that a column is compared with. */
const operands = (scanner: Scanner, column: Column, index: number): Parser<ReadonlyArray<string>> => {
  const value = isLabel(column)
    ? map(scanner.value, (values) => values.find((each) => each.column === index)?.label)
    : operand(scanner, column)
  return many(value, listSign(scanner))
}

/** A number or date in the notation of a column, and in its unit. */
const operand = (scanner: Scanner, column: Column): Parser<string> => {
  if (isLabel(column)) return () => []
  if (isDate(column))
    return map(scanner.period, (text) => (parsePeriod(text, column.dateStyle) === undefined ? undefined : text))
  return map(scanner.number, (text) => {
    const unit = unitOf(text)
    const isOfColumn = unit === undefined || unit === column.unit
    return isOfColumn && parseColumnNumber(column, text) !== undefined ? text : undefined
  })
}

const listSign = (scanner: Scanner): Parser<unknown> =>
  alt<unknown>(scanner.comma, scanner.word("or", "and"), seq(scanner.comma, scanner.word("or", "and")))

const YEAR = /^(?:1[5-9]|2[01])\d{2}$/

const isIdentifier = (column: Column): boolean => isNumber(column) && column.isIdentifier

const COMPARED: Partial<Record<Meaning, Operator>> = { more: ">", atLeast: ">=", less: "<", atMost: "<=" }

/** "EU and US" are alternatives, because a row has one value of a column; "EU, Chair" are two conditions. */
const mergeValues = (filters: ReadonlyArray<Filter>): ReadonlyArray<Filter> => {
  const byColumn = new Map<string, Condition>()
  for (const condition of filters.flatMap(({ any }) => any)) {
    const before = byColumn.get(condition.column)
    byColumn.set(condition.column, { ...condition, values: [...(before?.values ?? []), ...condition.values] })
  }
  return [...byColumn.values()].map((condition) => ({ any: [condition] }))
}

/** The rows that some conditions leave out: what does not meet all of them; undefined where that cannot be said. */
export const opposite = (filters: ReadonlyArray<Filter>): ReadonlyArray<Filter> | undefined => {
  const [first] = filters
  const all = filters.every(({ any }) => any.length === 1)
    ? filters.flatMap(({ any }) => any)
    : filters.length === 1
      ? (first?.any ?? [])
      : []
  const turned = all.map(opposites)
  if (turned.length === 0 || turned.some((conditions) => conditions.length === 0)) return undefined
  return filters.length > 1 ? [{ any: turned.flat() }] : turned.map((any) => ({ any }))
}

/** What holds where a condition does not, also in rows without a value; none where that cannot be said. */
const opposites = (condition: Condition): ReadonlyArray<Condition> => {
  const operators = OPPOSITES[condition.operator] ?? []
  return operators.map((operator, at) => ({
    ...condition,
    operator,
    values:
      operator === "is missing" || operator === "is present"
        ? []
        : condition.operator === "between"
          ? condition.values.slice(at, at + 1)
          : condition.values
  }))
}

const OPPOSITES: Partial<Record<Operator, ReadonlyArray<Operator>>> = {
  is: ["is not"],
  "is not": ["is"],
  "is missing": ["is present"],
  "is present": ["is missing"],
  ">": ["<=", "is missing"],
  ">=": ["<", "is missing"],
  "<": [">=", "is missing"],
  "<=": [">", "is missing"],
  between: ["<", ">", "is missing"]
}

/** Tells whether a column can be measured. */
export const isMeasurable = (column: Column | undefined): boolean =>
  column !== undefined &&
  ((isNumber(column) && !column.isIdentifier) || (isLabel(column) && column.amounts !== undefined))
