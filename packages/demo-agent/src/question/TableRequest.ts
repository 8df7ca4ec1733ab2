import type { Condition } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"
import { ambiguityNotes, findColumn } from "./ColumnMatch.ts"
import { parseFilter } from "./FilterParser.ts"
import { asking, cannot, type Intent, type ParsedRequest } from "./Intent.ts"
import { parseTableAction } from "./TableAction.ts"

/**
 * Understands a request about a table: a question, conditions for its rows, or both; `undefined` when it is neither.
 */
export const parseTableRequest = (text: string, table: Table, json: boolean): ParsedRequest | undefined => {
  if (RESET.test(text)) return { ...asking({ do: "rows" }), reset: true }
  const overAll = EVERY_ROW.exec(text)
  const unfiltered = overAll === null ? undefined : answerable(overAll[1] ?? "", table, json)
  if (unfiltered !== undefined) return { ...unfiltered, reset: true }
  const rows = ONLY.exec(text) ?? ROWS_WHERE.exec(text)
  if (rows !== null) return filtered(rows[1] ?? "", table, { do: "rows" })
  const without = WITHOUT.exec(text)
  if (without !== null) return excluded(without[1] ?? "", table)
  const where = ACTION_WHERE.exec(text)
  const asked = where === null ? undefined : answerable(where[1] ?? "", table, json)
  if (asked !== undefined) return filtered(where?.[2] ?? "", table, asked.intent, asked.notes)
  const forValue = ACTION_FOR.exec(text)
  if (forValue !== null && parseFilter(forValue[2] ?? "", table).ok) {
    const action = answerable(forValue[1] ?? "", table, json)
    if (action !== undefined) return filtered(forValue[2] ?? "", table, action.intent, action.notes)
  }
  return parseTableAction(text, table, json) ?? conditionOrColumn(text, table)
}

/** Tells whether a part of a request is a condition, a value or a column without a verb. */
export const continuesTableRequest = (text: string, table: Table, json: boolean): boolean => {
  if ([RESET, ONLY, ROWS_WHERE, WITHOUT].some((pattern) => pattern.test(text))) return false
  if (answerable(text, table, json) !== undefined) return false
  return parseFilter(text, table).ok || findColumn(table, text) !== undefined
}

const RESET =
  /^(?:reset|start over|(?:show |use |take |back to |now )*(?:all|every) (?:the )?(?:rows?|data|of it|of them)|(?:clear|remove|drop|without|no) (?:all |the |any )*filters?|everything(?: again)?)(?: again)?$/i
const EVERY_ROW =
  /^(.+?),?\s+(?:(?:for|on|over|of|with|using|across|in) (?:all|every) (?:the )?(?:rows?|data)|without (?:the |any )?filters?)$/i
const ROWS = String.raw`(?:rows?|ones?|those|entries|records|lines|items|data)`
const ONLY = new RegExp(
  String.raw`^(?:and |now )*(?:show |keep |take |use |list |give )?(?:only|just|filter(?: (?:by|to|on|for|where))?|keep|restrict(?: it)? to|limit(?: it)? to)\s+(?:the\s+)?(?:${ROWS}\s+)?(?:where|with|whose|that have|for which|when)?\s*(.+)$`,
  "i"
)
const ROWS_WHERE = new RegExp(
  String.raw`^(?:show |list |get |find |give )?(?:all |the )*${ROWS}\s+(?:where|with|whose|that have|for which|when|from|in|for)\s+(.+)$`,
  "i"
)
const WITHOUT = new RegExp(
  String.raw`^(?:and |now )*(?:exclude|without|leave out|drop|remove|hide|except)\s+(?:the\s+)?(?:${ROWS}\s+)?(?:where|with|whose|that have|for which)?\s*(.+)$`,
  "i"
)
const ACTION_WHERE =
  /^(.+?),?\s+(?:where|for which|whose|(?:for |of )?rows (?:where|with)|but only(?: for| in| where)?|only(?: for| in| where)?)\s+(.+)$/i
const ACTION_FOR = /^(.+?)\s+(?:for|in|from)\s+(?:the\s+)?([^,]+?)$/i

const answerable = (text: string, table: Table, json: boolean): ParsedRequest | undefined => {
  const action = parseTableAction(text, table, json)
  return action === undefined || action.intent.do === "cannot" ? undefined : action
}

const conditionOrColumn = (text: string, table: Table): ParsedRequest | undefined => {
  const condition = parseFilter(text, table)
  if (condition.ok) return { ...asking({ do: "rows" }, condition.notes), filters: condition.filters }
  const column = findColumn(table, text)
  return column === undefined ? undefined : asking({ do: "describe", column: column.index }, ambiguityNotes(column))
}

const filtered = (phrase: string, table: Table, intent: Intent, notes: ReadonlyArray<string> = []): ParsedRequest => {
  const parsed = parseFilter(phrase, table)
  return parsed.ok ? { ...asking(intent, [...notes, ...parsed.notes]), filters: parsed.filters } : cannot(parsed.why)
}

const excluded = (phrase: string, table: Table): ParsedRequest => {
  const parsed = parseFilter(phrase.replace(/^outliers.*/i, ""), table)
  if (!parsed.ok) return cannot(parsed.why)
  const [only] = parsed.filters
  if (parsed.filters.length !== 1 || only === undefined) return cannot("I can exclude by one condition at a time.")
  const impossible = only.any.find(({ operator }) => OPPOSITE[operator] === undefined)
  if (impossible !== undefined) return cannot(`I cannot exclude by “${impossible.operator}”.`)
  const filters = only.any.map((condition) => ({
    any: [{ ...condition, operator: OPPOSITE[condition.operator] ?? condition.operator }]
  }))
  return { ...asking({ do: "rows" }, parsed.notes), filters }
}

const OPPOSITE: Partial<Record<Condition["operator"], Condition["operator"]>> = {
  is: "is not",
  "is not": "is",
  ">": "<=",
  "<=": ">",
  "<": ">=",
  ">=": "<",
  "is missing": "is present",
  "is present": "is missing"
}
