import { parsePeriod } from "../data/Dates.ts"
import {
  describeFilters,
  operatorName,
  parseColumnNumber,
  type Condition,
  type Filter,
  type Operator
} from "../data/Filter.ts"
import { isDate, isLabel, type Column, type Table } from "../data/Table.ts"
import { unitName } from "../data/UnitColumns.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { splitOutsideQuotes, unquote } from "./Quotes.ts"

/** The filters of a phrase such as "region is EU and price > 10", or why there are none. */
export type ParsedFilter =
  | { readonly ok: true; readonly filters: ReadonlyArray<Filter>; readonly notes: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: string }

/** Parses a filter phrase with the columns and values of a table. */
export const parseFilter = (phrase: string, table: Table): ParsedFilter => {
  const notes: Array<string> = []
  const filters: Array<Filter> = []
  let column: string | undefined
  for (const clause of splitOutsideQuotes(phrase, AND)) {
    const alternatives: Array<Condition> = []
    let isBare = true
    for (const part of splitOutsideQuotes(clause, OR)) {
      const condition: ParsedCondition = parseCondition(part, table, column)
      if ("reason" in condition) return { ok: false, reason: condition.reason }
      isBare &&= condition.isBare === true
      column = condition.column
      alternatives.push({ column: condition.column, operator: condition.operator, values: condition.values })
      notes.push(...condition.notes)
    }
    const joined = isBare ? joinValues(filters.at(-1), alternatives) : undefined
    if (joined === undefined) filters.push({ any: alternatives })
    else filters.splice(-1, 1, ...joined)
  }
  for (const { any } of filters)
    if (any.length > 1 && !OR_WORD.test(phrase)) {
      const shown = describeFilters([{ any }])
      notes.push(
        Language.text(
          `A row has one value of a column, so I took either: ${shown}.`,
          `一行在一列里只有一个值，所以我取其中之一：${shown}。`
        )
      )
    }
  if (filters.length > 1 && filters.some((filter) => filter.any.length > 1)) {
    const shown = describeFilters(filters)
    notes.push(Language.text(`I read the condition as: ${shown}.`, `我把条件理解为：${shown}。`))
  }
  return filters.length === 0
    ? { ok: false, reason: Language.text("I found no condition in that.", "我没有从中找到条件。") }
    : { ok: true, filters, notes }
}

type ParsedCondition =
  | (Condition & { readonly notes: ReadonlyArray<string>; /** A value without its column. */ readonly isBare?: true })
  | { readonly reason: string }

/** "EU and US" are alternatives, and "not EU and US" excludes both; undefined where the values are of other columns. */
const joinValues = (
  previous: Filter | undefined,
  alternatives: ReadonlyArray<Condition>
): ReadonlyArray<Filter> | undefined => {
  const first = previous?.any[0]
  if (previous === undefined || first === undefined) return undefined
  const all = [...previous.any, ...alternatives]
  if (all.some(({ column }) => column !== first.column)) return undefined
  if (all.every(({ operator }) => operator === "is")) return [{ any: all }]
  return previous.any.length === 1 && first.operator === "is not"
    ? [previous, ...alternatives.map((each) => ({ any: [{ ...each, operator: first.operator }] }))]
    : undefined
}

const AND = /,?\s+(?:and|und|but)\s+|\s*&&\s*|\s*,\s+(?=[^,]*(?:[<>=]|\bis\b))/gi
const OR_WORD = /\b(?:or|oder)\b|\|\|/i
const OR = /\s+(?:or|oder)\s+|\s*\|\|\s*/gi
const OPERATORS: ReadonlyArray<readonly [RegExp, Operator]> = [
  [/\s+(?:is|are)\s+(?:missing|empty|blank|null)$|\s+has no value$/i, "is missing"],
  [/\s+(?:is|are)\s+(?:not missing|not empty|not blank|present|known)$/i, "is present"],
  [/\s+(?:is |are |was )?between\s+/i, "between"],
  [/\s+(?:is |are )?at least\s+|\s*(?:>=|≥)\s*|\s+since\s+/i, ">="],
  [/\s+(?:is |are )?(?:at most|up to|until)\s+|\s*(?:<=|≤)\s*/i, "<="],
  [
    /\s+(?:is not|isn't|are not|not equal to|does not equal|isnt|other than|not in|not)\s+|\s*(?:!=|<>|≠)\s*/i,
    "is not"
  ],
  [
    /\s+(?:is |are )?(?:greater|more|larger|bigger|higher|later) than\s+|\s+(?:is |are )?(?:above|over|after)\s+|\s*>\s*/i,
    ">"
  ],
  [
    /\s+(?:is |are )?(?:less|smaller|lower|fewer|earlier) than\s+|\s+(?:is |are )?(?:below|under|before)\s+|\s*<\s*/i,
    "<"
  ],
  [/\s+(?:contains|containing|includes|including|like)\s+/i, "contains"],
  [/\s+(?:starts with|begins with|starting with)\s+/i, "starts with"],
  [/\s+(?:is equal to|equals?|is|are|was|in|on)\s+|\s*={1,3}\s*|\s*:\s+/i, "is"]
]

const parseCondition = (text: string, table: Table, previousColumn: string | undefined): ParsedCondition => {
  const phrase = text.replace(/[.?!]+$/, "").trim()
  for (const [pattern, operator] of OPERATORS) {
    const source = pattern.test(phrase) ? phrase : ` ${phrase}`
    const match = pattern.exec(source)
    if (match === null) continue
    const columnText = source
      .slice(0, match.index)
      .replace(COLUMN_PREFIX, "")
      .replace(/\s+(?:is|are|was)$/i, "")
      .trim()
    const valueText = source.slice(match.index + match[0].length).trim()
    const column =
      columnText === "" && previousColumn !== undefined
        ? { name: previousColumn, index: table.columns.findIndex(({ name }) => name === previousColumn), others: [] }
        : findColumn(table, columnText)
    if (column !== undefined)
      return makeCondition(table.columns[column.index], operator, valueText, ambiguityNotes(column))
    // "is" and "contains" may be part of a value.
    if (operator !== "is" && operator !== "contains") return { reason: unknownColumn(table, columnText) }
  }
  return parseColumnAndValue(phrase, table) ?? parseBareValue(phrase, table, previousColumn)
}

const COLUMN_PREFIX = /^(?:(?:the|rows?|where|with|whose|only|that have)\s+)+/i

/** Parses "EU", a value without its column. */
const parseBareValue = (phrase: string, table: Table, previousColumn: string | undefined): ParsedCondition => {
  const value = unquote(phrase.replace(VALUE_PREFIX, "").replace(/\s+(?:rows?|ones?|only)$/i, ""))
  const columnsWithValue = table.columns.filter((column) => hasLabel(column, value))
  const column = columnsWithValue.find((candidate) => candidate.name === previousColumn) ?? columnsWithValue[0]
  const [date, ...otherDates] = table.columns.filter(isDate)
  if (column === undefined && date !== undefined && otherDates.length === 0 && parsePeriod(value, date.dateStyle))
    return { column: date.name, operator: "is", values: [value], notes: [] }
  if (column === undefined || value === "")
    return {
      reason: Language.text(
        `I do not see how “${Markdown.escapeText(phrase, 60)}” picks rows: it names neither a column nor a value I found.`,
        `我看不出“${Markdown.escapeText(
          phrase.replace(WORD_OPERATOR, (operator) => operatorName(operator as Operator)),
          60
        )}”怎样选行：里面没有我能找到的列或值。`
      )
    }
  const others = columnsWithValue.filter((other) => other !== column).map((other) => other.name)
  const notes = ambiguityNotes({ name: column.name, others })
  return { column: column.name, operator: "is", values: [value], notes, isBare: true }
}

/** The operators that may be part of a value. */
const WORD_OPERATOR = /\b(?:is|contains)\b/g

const VALUE_PREFIX =
  /^(?:(?:rows?|ones|those)\s+(?:(?:for|from|of|with|in)\s+)?|for\s+|from\s+|with\s+|in\s+)?(?:the\s+)?/i

/** Parses "region EU", a column and one of its values without an operator. */
const parseColumnAndValue = (phrase: string, table: Table): ParsedCondition | undefined => {
  const words = phrase.split(/\s+/)
  for (let n = 1; n < words.length; n++) {
    const match = findColumn(table, words.slice(0, n).join(" "))
    const column = match === undefined ? undefined : table.columns[match.index]
    const value = unquote(words.slice(n).join(" "))
    if (column !== undefined && hasLabel(column, value))
      return { column: column.name, operator: "is", values: [value], notes: [] }
  }
  return undefined
}

const hasLabel = (column: Column, value: string): boolean => {
  if (!isLabel(column)) return false
  const named = (unitName(column.names, value) ?? value).toLowerCase()
  return column.labels.some((label) => label.toLowerCase() === named)
}

const makeCondition = (
  column: Column | undefined,
  operator: Operator,
  valueText: string,
  notes: ReadonlyArray<string>
): ParsedCondition => {
  if (column === undefined) return { reason: Language.text("I found no such column.", "我没有找到这样的列。") }
  if (operator === "is missing" || operator === "is present")
    return { column: column.name, operator, values: [], notes }
  const values = splitValues(valueText, operator)
  const reason = findProblem(column, operator, values)
  if (reason !== undefined) return { reason }
  const unknown = operator === "is" && isLabel(column) ? values.filter((value) => !hasLabel(column, value)) : []
  if (unknown.length === 0) return { column: column.name, operator, values, notes }
  const missing = unknownValue(column, unknown)
  return unknown.length === values.length
    ? { reason: missing }
    : { column: column.name, operator, values, notes: [...notes, missing] }
}

/** Says that a column has no such values, and which it has. */
const unknownValue = (column: Column, values: ReadonlyArray<string>): string => {
  const labels = isLabel(column) ? column.labels : []
  const shown = labels.slice(0, MAX_LABELS).map((label) => Markdown.escapeText(label))
  const more = labels.length - shown.length
  const list = Markdown.joinWords(more > 0 ? [...shown, Language.text(`${more} more`, `另外 ${more} 个`)] : shown)
  const [name, quoted] = [
    Markdown.bold(column.name),
    Markdown.joinWords(
      values.map((value) => `“${Markdown.escapeText(value)}”`),
      "or"
    )
  ]
  return Language.text(
    `${name} has no value ${quoted}; it has ${list}.`,
    `${name} 里没有值${quoted}；它的值有 ${list}。`
  )
}

const MAX_LABELS = 6

const splitValues = (text: string, operator: Operator): ReadonlyArray<string> => {
  if (operator === "between") return text.split(/\s+and\s+|\s+to\s+|\s*[–…]\s*|\s*\.\.\s*/i).map(unquote)
  if (operator !== "is" && operator !== "is not") return [unquote(text)]
  const values = splitOutsideQuotes(text.replace(/^\((.*)\)$/, "$1"), /\s*,\s+/).map(unquote)
  return values.length === 0 ? [""] : values
}

/** Says why a column cannot be compared with these values; `undefined` when it can. */
const findProblem = (column: Column, operator: Operator, values: ReadonlyArray<string>): string | undefined => {
  const name = Markdown.bold(column.name)
  if (values.some((value) => value === ""))
    return Language.text(`The value to compare ${name} with is missing.`, `缺少与 ${name} 比较的值。`)
  if (operator === "between" && values.length !== 2)
    return Language.text(
      "“between” needs two values, for example “between 10 and 20”.",
      "“之间”需要两个值，例如“在 10 和 20 之间”。"
    )
  if (operator === "contains" || operator === "starts with") return undefined
  if (isLabel(column)) {
    if (operator === "is" || operator === "is not") return undefined
    return Language.text(
      `${name} holds words, so “${operator}” does not apply to it. Try “is” or “contains”.`,
      `${name} 是文字，不能用“${operatorName(operator)}”比较。请用“为”或“包含”。`
    )
  }
  const [kind, parse] = isDate(column)
    ? [Language.text("date", "日期"), (value: string) => parsePeriod(value, column.dateStyle)]
    : [Language.text("number", "数字"), (value: string) => parseColumnNumber(column, value)]
  const invalidValue = values.find((value) => parse(value) === undefined)
  return invalidValue === undefined
    ? undefined
    : Language.text(
        `${name} holds ${kind}s, and “${Markdown.escapeText(invalidValue)}” is not a ${kind}.`,
        `${name} 是${kind}，而“${Markdown.escapeText(invalidValue)}”不是${kind}。`
      )
}
