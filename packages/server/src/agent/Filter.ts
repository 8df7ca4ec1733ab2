import { isMissingInTyped, parseNumber, parsePeriod, type Period } from "./Cells.ts"
import { matchColumn } from "./ColumnMatch.ts"
import * as Markdown from "./Markdown.ts"
import { isDate, isLabel, isMissingAt, type Column, type Rows, type Table } from "./Table.ts"

/** How a value is compared. */
export type Operator =
  | "is"
  | "is not"
  | ">"
  | ">="
  | "<"
  | "<="
  | "contains"
  | "starts with"
  | "between"
  | "is missing"
  | "is present"

/** One comparison, as it was asked: it is stored in the session and applied to the data each time. */
export interface Condition {
  readonly column: string
  readonly operator: Operator
  readonly values: ReadonlyArray<string>
}

/** Alternatives of which one must hold; a session keeps a list of them, all of which must hold. */
export interface Filter {
  readonly any: ReadonlyArray<Condition>
}

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

/** The rows in which every filter holds. */
export const applyFilters = (table: Table, filters: ReadonlyArray<Filter>): Rows => {
  const tests = filters.map((filter) => filter.any.map((condition) => testOf(table, condition)))
  const rows = new Uint32Array(table.rowCount)
  let n = 0
  for (let row = 0; row < table.rowCount; row++) {
    if (tests.every((any) => any.some((test) => test(row)))) rows[n++] = row
  }
  return rows.slice(0, n)
}

/** Says the filters in words, safe for Markdown. */
export const describeFilters = (filters: ReadonlyArray<Filter>): string =>
  filters
    .map((filter) => filter.any.map(describeCondition).join(" or "))
    .map((text, i) => (filters.length > 1 && (filters[i]?.any.length ?? 0) > 1 ? `(${text})` : text))
    .join(" and ")

/** Adds filters to those of a session; "region is US" takes the place of "region is EU", all else narrows further. */
export const mergeFilters = (
  old: ReadonlyArray<Filter>,
  added: ReadonlyArray<Filter>
): { readonly filters: ReadonlyArray<Filter>; readonly replaced: ReadonlyArray<Filter> } => {
  const columns = new Set(added.map(equalityColumn).filter((column) => column !== undefined))
  const replaced = old.filter((filter) => columns.has(equalityColumn(filter) ?? ""))
  const same = (a: Filter, b: Filter): boolean => JSON.stringify(a) === JSON.stringify(b)
  const kept = old.filter((filter) => !replaced.includes(filter) && !added.some((other) => same(filter, other)))
  return {
    filters: [...kept, ...added],
    replaced: replaced.filter((filter) => !added.some((other) => same(filter, other)))
  }
}

const equalityColumn = (filter: Filter): string | undefined => {
  const column = filter.any[0]?.column
  return filter.any.every((condition) => condition.operator === "is" && condition.column === column)
    ? column
    : undefined
}

type ParsedCondition = (Condition & { readonly notes: ReadonlyArray<string> }) | { readonly why: string }

const AND = /\s+(?:and|und|but)\s+|\s*&&\s*|\s*,\s+(?=[^,]*(?:[<>=]|\bis\b))/gi
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

/** "between 1 and 5" keeps its "and"; text in quotes is never cut. */
const splitOutsideQuotes = (text: string, separator: RegExp): ReadonlyArray<string> => {
  const kept: Array<string> = []
  const hide = (found: string): string => `\u0001${kept.push(found) - 1}\u0002`
  const hidden = text
    .replace(/"[^"]*"|“[^”]*”|(?<=^|[\s=])'[^']*'/g, hide)
    .replace(/\bbetween\s+\S+(?:\s+\d+)?\s+and\s+\S+/gi, hide)
  const show = (part: string): string => {
    let shown = part
    for (let i = 0; i < 3; i++) shown = shown.replace(/\u0001(\d+)\u0002/g, (_, at: string) => kept[Number(at)] ?? "")
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

const testOf = (table: Table, condition: Condition): ((row: number) => boolean) => {
  const column = table.columns.find((candidate) => candidate.name === condition.column)
  if (column === undefined) return () => false
  const { operator } = condition
  if (operator === "is missing") return (row) => isMissingAt(column, row)
  if (operator === "is present") return (row) => !isMissingAt(column, row)
  if (isLabel(column)) {
    const wanted = condition.values.map((value) => value.toLowerCase())
    const fits = (label: string): boolean => {
      const low = label.toLowerCase()
      if (operator === "contains") return wanted.some((value) => low.includes(value))
      if (operator === "starts with") return wanted.some((value) => low.startsWith(value))
      return wanted.includes(low) === (operator === "is")
    }
    const verdicts = column.labels.map(fits)
    return (row) => {
      const code = column.codes[row] ?? 0
      return code === 0 ? operator === "is not" : (verdicts[code - 1] ?? false)
    }
  }
  if (operator === "contains" || operator === "starts with") {
    const wanted = (condition.values[0] ?? "").toLowerCase()
    return (row) => {
      const value = column.values[row] ?? Number.NaN
      if (Number.isNaN(value)) return false
      const shown = isDate(column) ? Markdown.date(value, column.timed) : String(value)
      return operator === "contains" ? shown.includes(wanted) : shown.startsWith(wanted)
    }
  }
  const periods = condition.values.map((value) => periodIn(column, value))
  const [a, b = a] = periods
  if (a === undefined || b === undefined) return () => false
  const compare: Record<string, (value: number) => boolean> = {
    is: (value) => periods.some((p) => value >= p.from && value < p.until),
    "is not": (value) => !periods.some((p) => value >= p.from && value < p.until),
    ">": (value) => value >= a.until,
    ">=": (value) => value >= a.from,
    "<": (value) => value < a.from,
    "<=": (value) => value < a.until,
    between: (value) => value >= Math.min(a.from, b.from) && value < Math.max(a.until, b.until)
  }
  const holds = compare[operator] ?? (() => false)
  return (row) => {
    const value = column.values[row] ?? Number.NaN
    return Number.isNaN(value) ? operator === "is not" : holds(value)
  }
}

/** A number is the smallest interval around itself, so that numbers and dates compare by the same rules. */
const periodIn = (column: Column, value: string): Period => {
  if (isDate(column)) return parsePeriod(value, column.dateStyle) ?? NEVER
  const number = numberIn(column, value)
  return number === undefined ? NEVER : { from: number, until: nextAfter(number) }
}

const NEVER: Period = { from: Number.NaN, until: Number.NaN }

const nextAfter = (value: number): number => {
  const view = new DataView(new ArrayBuffer(8))
  if (value === 0) return Number.MIN_VALUE
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}

const numberIn = (column: Column, value: string): number | undefined => {
  if (isLabel(column) || isMissingInTyped(value)) return undefined
  const scaled = /^(.+?)\s*([kKmM])$/.exec(value)
  const factor = scaled === null ? 1 : /k/i.test(scaled[2] ?? "") ? 1e3 : 1e6
  const number = parseNumber(scaled?.[1] ?? value, column.decimalMark) ?? parseNumber(scaled?.[1] ?? value, ".")
  return number === undefined ? undefined : number * factor
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

const describeCondition = (condition: Condition): string => {
  const values = condition.values.map((value) => Markdown.cell(value))
  const operator = condition.operator.replace("<", "\\<")
  const right = condition.operator === "between" ? values.join(" and ") : values.join(", ")
  return `${Markdown.cell(condition.column)} ${operator}${right === "" ? "" : ` ${right}`}`
}
