import { parsePeriod } from "../data/Dates.ts"
import { describeFilters, numberIn, type Condition, type Filter, type Operator } from "../data/Filter.ts"
import { isDate, isLabel, type Column, type Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import { ambiguityNotes, findColumn, unknownColumn } from "./ColumnMatch.ts"
import { splitOutsideQuotes, unquote } from "./Quotes.ts"

/** What became of a phrase such as "region is EU and price > 10". */
export type ParsedFilter =
  | { readonly ok: true; readonly filters: ReadonlyArray<Filter>; readonly notes: ReadonlyArray<string> }
  | { readonly ok: false; readonly why: string }

/** Reads a filter phrase against the columns and values of a table. */
export const parseFilter = (phrase: string, table: Table): ParsedFilter => {
  const notes: Array<string> = []
  const filters: Array<Filter> = []
  let column: string | undefined
  for (const all of splitOutsideQuotes(phrase, AND)) {
    const any: Array<Condition> = []
    for (const part of splitOutsideQuotes(all, OR)) {
      const condition: ParsedCondition = parseCondition(part, table, column)
      if ("why" in condition) return { ok: false, why: condition.why }
      column = condition.column
      any.push({ column: condition.column, operator: condition.operator, values: condition.values })
      notes.push(...condition.notes)
    }
    filters.push({ any })
  }
  if (filters.length > 1 && filters.some((filter) => filter.any.length > 1)) {
    notes.push(`I read the condition as: ${describeFilters(filters)}.`)
  }
  return filters.length === 0 ? { ok: false, why: "I found no condition in that." } : { ok: true, filters, notes }
}

type ParsedCondition = (Condition & { readonly notes: ReadonlyArray<string> }) | { readonly why: string }

const AND = /,?\s+(?:and|und|but)\s+|\s*&&\s*|\s*,\s+(?=[^,]*(?:[<>=]|\bis\b))/gi
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

const parseCondition = (text: string, table: Table, before: string | undefined): ParsedCondition => {
  const phrase = text.replace(/[.?!]+$/, "").trim()
  for (const [pattern, operator] of OPERATORS) {
    const source = pattern.test(phrase) ? phrase : ` ${phrase}`
    const found = pattern.exec(source)
    if (found === null) continue
    const left = source
      .slice(0, found.index)
      .replace(OPENING, "")
      .replace(/\s+(?:is|are|was)$/i, "")
      .trim()
    const right = source.slice(found.index + found[0].length).trim()
    const column =
      left === "" && before !== undefined
        ? { name: before, index: table.columns.findIndex(({ name }) => name === before), others: [] }
        : findColumn(table, left)
    if (column !== undefined) return conditionFor(table.columns[column.index], operator, right, ambiguityNotes(column))
    // "is" and "contains" may stand in a value, too.
    if (operator !== "is" && operator !== "contains") return { why: unknownColumn(table, left) }
  }
  return columnThenValue(phrase, table) ?? valueAlone(phrase, table, before)
}

const OPENING = /^(?:(?:the|rows?|where|with|whose|only|that have)\s+)+/i

/** "EU": a value of some column. */
const valueAlone = (phrase: string, table: Table, before: string | undefined): ParsedCondition => {
  const value = unquote(phrase.replace(BEFORE_VALUE, "").replace(/\s+(?:rows?|ones?|only)$/i, ""))
  const holders = table.columns.filter((column) => hasLabel(column, value))
  const holder = holders.find((column) => column.name === before) ?? holders[0]
  if (holder === undefined || value === "")
    return {
      why: `I do not see how “${Markdown.cell(phrase, 60)}” picks rows: it names neither a column nor a value I found.`
    }
  const others = holders.filter((column) => column !== holder).map((column) => column.name)
  return { column: holder.name, operator: "is", values: [value], notes: ambiguityNotes({ name: holder.name, others }) }
}

const BEFORE_VALUE =
  /^(?:(?:rows?|ones|those)\s+(?:(?:for|from|of|with|in)\s+)?|for\s+|from\s+|with\s+|in\s+)?(?:the\s+)?/i

/** "region EU": a column and one of its values without a word between them. */
const columnThenValue = (phrase: string, table: Table): ParsedCondition | undefined => {
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

const hasLabel = (column: Column, value: string): boolean =>
  isLabel(column) && column.labels.some((label) => label.toLowerCase() === value.toLowerCase())

const conditionFor = (
  column: Column | undefined,
  operator: Operator,
  right: string,
  notes: ReadonlyArray<string>
): ParsedCondition => {
  if (column === undefined) return { why: "I found no such column." }
  if (operator === "is missing" || operator === "is present")
    return { column: column.name, operator, values: [], notes }
  const values = valuesIn(right, operator)
  const why = problemWith(column, operator, values)
  return why === undefined ? { column: column.name, operator, values, notes } : { why }
}

const valuesIn = (text: string, operator: Operator): ReadonlyArray<string> => {
  if (operator === "between") return text.split(/\s+and\s+|\s+to\s+|\s*[–…]\s*|\s*\.\.\s*/i).map(unquote)
  if (operator !== "is" && operator !== "is not") return [unquote(text)]
  return text
    .replace(/^\((.*)\)$/, "$1")
    .split(/\s*,\s+/)
    .map(unquote)
}

/** Why the values of a column cannot be compared with these, if so. */
const problemWith = (column: Column, operator: Operator, values: ReadonlyArray<string>): string | undefined => {
  const name = Markdown.bold(column.name)
  if (values.some((value) => value === "")) return `The value to compare ${name} with is missing.`
  if (operator === "between" && values.length !== 2)
    return "“between” needs two values, for example “between 10 and 20”."
  if (operator === "contains" || operator === "starts with") return undefined
  if (isLabel(column)) {
    if (operator === "is" || operator === "is not") return undefined
    return `${name} holds words, so “${operator}” does not apply to it. Try “is” or “contains”.`
  }
  const [kind, read] = isDate(column)
    ? ["date", (value: string) => parsePeriod(value, column.dateStyle)]
    : ["number", (value: string) => numberIn(column, value)]
  const wrong = values.find((value) => read(value) === undefined)
  return wrong === undefined ? undefined : `${name} holds ${kind}s, and “${Markdown.cell(wrong)}” is not a ${kind}.`
}
