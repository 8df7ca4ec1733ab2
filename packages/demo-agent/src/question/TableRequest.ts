import * as Language from "../format/Language.ts"
import { operatorName, type Condition } from "../data/Filter.ts"
import type { Table } from "../data/Table.ts"
import { ambiguityNotes, findColumn } from "./ColumnMatch.ts"
import { figuresOf } from "./Figures.ts"
import { parseFilter } from "./FilterParser.ts"
import { requestFor, unanswerable, type Intent, type ParsedRequest } from "./Intent.ts"
import { parseTableAction } from "./TableAction.ts"

/** Parses a request about a table: a question, conditions for its rows, or both; `undefined` for other texts. */
export const parseTableRequest = (text: string, table: Table, isFromJson: boolean): ParsedRequest | undefined => {
  if (RESET.test(text)) return { ...requestFor({ kind: "rows" }), reset: true }
  const subject = text.replace(AS_TABLE, "")
  if (subject !== text && !REFERENCE.test(subject)) return asTable(parseTableRequest(subject, table, isFromJson))
  const everyRow = EVERY_ROW.exec(text)
  const unfiltered = everyRow === null ? undefined : parseAnswerableAction(everyRow[1] ?? "", table, isFromJson)
  if (unfiltered !== undefined) return { ...unfiltered, reset: true }
  const rows = ONLY_ROWS.exec(text) ?? ROWS_WHERE.exec(text)
  if (rows !== null) return parseFilteredRows(rows[1] ?? "", table, { kind: "rows" })
  const without = WITHOUT.exec(text)
  if (without !== null) return parseExclusion(without[1] ?? "", table)
  const actionWhere = ACTION_WHERE.exec(text)
  const action = actionWhere === null ? undefined : parseAnswerableAction(actionWhere[1] ?? "", table, isFromJson)
  if (action !== undefined) return parseFilteredRows(actionWhere?.[2] ?? "", table, action.intent, action.notes)
  const actionFor = ACTION_FOR.exec(text)
  if (actionFor !== null && parseFilter(actionFor[2] ?? "", table).ok) {
    const action = parseAnswerableAction(actionFor[1] ?? "", table, isFromJson)
    if (action !== undefined) return parseFilteredRows(actionFor[2] ?? "", table, action.intent, action.notes)
  }
  // The note on left-out words names what the rows were called.
  const rowsCalled = ROWS_CALLED.exec(text)
  const calledFilter = rowsCalled === null ? undefined : parseFilter(rowsCalled[2] ?? "", table)
  if (calledFilter?.ok === true && parseTableAction(rowsCalled?.[1] ?? "", table, isFromJson) === undefined)
    return parseFilteredRows(rowsCalled?.[2] ?? "", table, { kind: "rows" })
  // A column may be called "total".
  const comparison = COMPARISON.test(text) ? parseConditionOrColumn(text, table) : undefined
  if (comparison !== undefined) return comparison
  return parseTableAction(text, table, isFromJson) ?? parseConditionOrColumn(text, table)
}

/** Tells whether a part of a request is a condition, a value or a column without a verb. */
export const continuesTableRequest = (text: string, table: Table, isFromJson: boolean): boolean => {
  if ([RESET, ONLY_ROWS, ROWS_WHERE, WITHOUT].some((pattern) => pattern.test(text))) return false
  if (parseAnswerableAction(text, table, isFromJson) !== undefined) return false
  return parseFilter(text, table).ok || findColumn(table, text) !== undefined
}

/** "Average price by region as a table" asks for the figures, "only EU as a table" for the rows. */
const asTable = (request: ParsedRequest | undefined): ParsedRequest | undefined => {
  if (request?.intent.kind === "rows")
    return { ...request, intent: { kind: "table", limit: 10, refersToLastChart: false } }
  const figures =
    request?.intent.kind === "chart" && request.intent.plan !== undefined ? figuresOf(request.intent.plan) : undefined
  return request === undefined || figures === undefined ? request : { ...request, intent: figures }
}

const AS_TABLE = /,?\s*\b(?:as|in) (?:a )?(?:markdown )?table\b/i
/** Words that name only what was shown before. */
const REFERENCE =
  /^(?:\s*\b(?:now|show|give|list|print|display|me|it|that|this|them|those|the|same|chart|figures|numbers|data|rows?|results?|and|first|sample|file|\d+)\b)*\s*$/i
const RESET =
  /^(?:reset|start over|(?:show |use |take |back to |now )*(?:all|every) (?:the )?(?:rows?|data|of it|of them)|(?:clear|remove|drop|without|no) (?:all |the |any )*filters?|everything(?: again)?)(?: again)?$/i
const EVERY_ROW =
  /^(.+?),?\s+(?:(?:for|on|over|of|with|using|across|in) (?:all|every) (?:the )?(?:rows?|data)|without (?:the |any )?filters?)$/i
const ROWS = String.raw`(?:rows?|ones?|those|entries|records|lines|items|data)`
const ONLY_ROWS = new RegExp(
  String.raw`^(?:and |now )*(?:show |keep |take |use |list |give )?(?:only|just|filter(?: (?:by|to|on|for|where))?|keep|restrict(?: it)? to|limit(?: it)? to)\s+(?:the\s+)?(?:${ROWS}\s+)?(?:where|with|whose|that have|for which|when)?\s*(.+)$`,
  "i"
)
const ROWS_WHERE = new RegExp(
  String.raw`^(?:show |list |get |find |give )?(?:all |the )*${ROWS}\s+(?:where|with|whose|that have|for which|when|from|in|for)\s+(.+)$`,
  "i"
)
const ROWS_CALLED =
  /^(?:(?:show|list|get|find|give)\s+(?:me\s+)?)?(?:(?:all|the|every|any)\s+)*(\p{L}+)\s+(?:where|with|whose|that have|for which)\s+(.+)$/iu
const COMPARISON = /[<>=≤≥]|\b(?:over|above|below|under|more than|less than|at least|at most|between)\b/i
const WITHOUT = new RegExp(
  String.raw`^(?:and |now )*(?:exclude|without|leave out|drop|remove|hide|except)\s+(?:the\s+)?(?:${ROWS}\s+)?(?:where|with|whose|that have|for which)?\s*(.+)$`,
  "i"
)
const ACTION_WHERE =
  /^(.+?),?\s+(?:where|for which|whose|(?:for |of )?rows (?:where|with)|but only(?: for| in| where)?|only(?: for| in| where)?)\s+(.+)$/i
const ACTION_FOR = /^(.+?)\s+(?:for|in|from)\s+(?:the\s+)?([^,]+?)$/i

const parseAnswerableAction = (text: string, table: Table, isFromJson: boolean): ParsedRequest | undefined => {
  const action = parseTableAction(text, table, isFromJson)
  return action === undefined || action.intent.kind === "cannot" ? undefined : action
}

const parseConditionOrColumn = (text: string, table: Table): ParsedRequest | undefined => {
  const condition = parseFilter(text, table)
  if (condition.ok) return { ...requestFor({ kind: "rows" }, condition.notes), filters: condition.filters }
  const column = findColumn(table, text)
  return column === undefined
    ? undefined
    : requestFor({ kind: "describe", column: column.index }, ambiguityNotes(column))
}

const parseFilteredRows = (
  phrase: string,
  table: Table,
  intent: Intent,
  notes: ReadonlyArray<string> = []
): ParsedRequest => {
  const parsed = parseFilter(phrase, table)
  return parsed.ok
    ? { ...requestFor(intent, [...notes, ...parsed.notes]), filters: parsed.filters }
    : unanswerable(parsed.reason)
}

const parseExclusion = (phrase: string, table: Table): ParsedRequest => {
  const parsed = parseFilter(phrase.replace(/^outliers.*/i, ""), table)
  if (!parsed.ok) return unanswerable(parsed.reason)
  const [filter] = parsed.filters
  if (parsed.filters.length !== 1 || filter === undefined)
    return unanswerable(Language.text("I can exclude by one condition at a time.", "一次只能按一个条件排除。"))
  const unsupported = filter.any.find(({ operator }) => OPPOSITE[operator] === undefined)
  if (unsupported !== undefined)
    return unanswerable(
      Language.text(
        `I cannot exclude by “${unsupported.operator}”.`,
        `不能按“${operatorName(unsupported.operator)}”排除。`
      )
    )
  const filters = filter.any.map((condition) => ({
    any: [{ ...condition, operator: OPPOSITE[condition.operator] ?? condition.operator }]
  }))
  return { ...requestFor({ kind: "rows" }, parsed.notes), filters }
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
