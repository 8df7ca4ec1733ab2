import { parsePeriod } from "./Cells.ts"
import { matchColumn } from "./ColumnMatch.ts"
import { describeFilters, numberIn, type Condition, type Filter, type Operator } from "./Filter.ts"
import * as Markdown from "./Markdown.ts"
import { isDate, isLabel, type Table } from "./Table.ts"

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

/** Cuts a phrase; "between 1 and 5" keeps its "and", text in quotes is never cut. */
export const splitOutsideQuotes = (text: string, separator: RegExp): ReadonlyArray<string> => {
  const kept: Array<string> = []
  const hide = (found: string): string => `\ue000${kept.push(found) - 1}\ue001`
  const hidden = text
    .replace(/"[^"]*"|“[^”]*”|(?<=^|[\s=])'[^']*'/g, hide)
    .replace(/\bbetween\s+\S+(?:\s+\d+)?\s+and\s+\S+/gi, hide)
  const show = (part: string): string => {
    let shown = part
    for (let i = 0; i < 3; i++) shown = shown.replace(/\ue000(\d+)\ue001/g, (_, at: string) => kept[Number(at)] ?? "")
    return shown
  }
  return hidden
    .split(separator)
    .map((part) => show(part).trim())
    .filter((part) => part !== "")
}

const parseCondition = (text: string, table: Table, before: string | undefined): ParsedCondition => {
  const phrase = text.replace(/[.?!]+$/, "").trim()
  const names = table.columns.map((column) => column.name)
  for (const [pattern, operator] of OPERATORS) {
    const found = pattern.exec(phrase) ?? pattern.exec(` ${phrase}`)
    if (found === null) continue
    const source = pattern.exec(phrase) === null ? ` ${phrase}` : phrase
    const left = source
      .slice(0, found.index)
      .replace(/^(?:(?:the|rows?|where|with|whose|only|that have)\s+)+/i, "")
      .replace(/\s+(?:is|are|was)$/i, "")
      .trim()
    const right = source.slice(found.index + found[0].length).trim()
    const column =
      left === "" && before !== undefined
        ? { name: before, index: names.indexOf(before), others: [] }
        : matchColumn(names, left)
    if (column === undefined) {
      if (operator === "is" || operator === "contains") continue
      return { why: `I found no column “${Markdown.cell(left)}”. The columns are ${columnList(names)}.` }
    }
    return conditionFor(table, column.index, operator, right, ambiguity(column.name, column.others))
  }
  const value = unquote(
    phrase
      .replace(
        /^(?:(?:rows?|ones|those)\s+(?:(?:for|from|of|with|in)\s+)?|for\s+|from\s+|with\s+|in\s+)?(?:the\s+)?/i,
        ""
      )
      .replace(/\s+(?:rows?|ones?|only)$/i, "")
  )
  const named = columnThenValue(phrase, table)
  if (named !== undefined) return { ...named, operator: "is", notes: [] }
  const holders = table.columns.filter(
    (column) => isLabel(column) && column.labels.some((label) => label.toLowerCase() === value.toLowerCase())
  )
  const holder = (before === undefined ? undefined : holders.find((column) => column.name === before)) ?? holders[0]
  if (holder === undefined || value === "") {
    return {
      why: `I do not see how “${Markdown.cell(phrase, 60)}” picks rows: it names neither a column nor a value I found.`
    }
  }
  const others = holders.filter((column) => column !== holder).map((column) => column.name)
  return { column: holder.name, operator: "is", values: [value], notes: ambiguity(holder.name, others) }
}

/** "region EU": a column and one of its values without a word between them. */
const columnThenValue = (phrase: string, table: Table): Pick<Condition, "column" | "values"> | undefined => {
  const words = phrase.split(/\s+/)
  for (let n = 1; n < words.length; n++) {
    const match = matchColumn(
      table.columns.map((column) => column.name),
      words.slice(0, n).join(" ")
    )
    const column = match === undefined ? undefined : table.columns[match.index]
    const value = unquote(words.slice(n).join(" "))
    if (
      column !== undefined &&
      isLabel(column) &&
      column.labels.some((label) => label.toLowerCase() === value.toLowerCase())
    ) {
      return { column: column.name, values: [value] }
    }
  }
  return undefined
}

const conditionFor = (
  table: Table,
  index: number,
  operator: Operator,
  right: string,
  notes: ReadonlyArray<string>
): ParsedCondition => {
  const column = table.columns[index]
  if (column === undefined) return { why: "I found no such column." }
  if (operator === "is missing" || operator === "is present")
    return { column: column.name, operator, values: [], notes }
  const values =
    operator === "between"
      ? right.split(/\s+and\s+|\s+to\s+|\s*[–…]\s*|\s*\.\.\s*/i).map(unquote)
      : operator === "is" || operator === "is not"
        ? right
            .replace(/^\((.*)\)$/, "$1")
            .split(/\s*,\s+/)
            .map(unquote)
        : [unquote(right)]
  if (values.length === 0 || values.some((value) => value === ""))
    return { why: `The value to compare ${Markdown.bold(column.name)} with is missing.` }
  if (operator === "between" && values.length !== 2)
    return { why: "“between” needs two values, for example “between 10 and 20”." }
  const textOnly = operator === "contains" || operator === "starts with"
  if (isLabel(column)) {
    if (!textOnly && operator !== "is" && operator !== "is not") {
      return {
        why: `${Markdown.bold(column.name)} holds words, so “${operator}” does not apply to it. Try “is” or “contains”.`
      }
    }
  } else if (!textOnly) {
    const bad = values.find(
      (value) => (isDate(column) ? parsePeriod(value, column.dateStyle) : numberIn(column, value)) === undefined
    )
    if (bad !== undefined) {
      const what = isDate(column) ? "a date" : "a number"
      return {
        why: `${Markdown.bold(column.name)} holds ${isDate(column) ? "dates" : "numbers"}, and “${Markdown.cell(bad)}” is not ${what}.`
      }
    }
  }
  return { column: column.name, operator, values, notes }
}

const unquote = (text: string): string =>
  text
    .trim()
    .replace(/^["'“‘`](.*)["'”’`]$/, "$1")
    .trim()

const ambiguity = (name: string, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  others.length === 0
    ? []
    : [`I took ${Markdown.bold(name)}; ${Markdown.list(others.map(Markdown.bold))} would fit as well.`]

const columnList = (names: ReadonlyArray<string>): string =>
  names.length <= 12
    ? Markdown.list(names.map(Markdown.bold))
    : `${names.slice(0, 12).map(Markdown.bold).join(", ")} and ${names.length - 12} more`
