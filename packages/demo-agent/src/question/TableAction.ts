import * as Language from "../format/Language.ts"
import type { Table } from "../data/Table.ts"
import { planChart } from "./ChartRequest.ts"
import { ambiguityNotes, findColumn } from "./ColumnMatch.ts"
import { requestFor, unanswerable, type Intent, type ParsedRequest } from "./Intent.ts"
import { parseMeasure } from "./MeasureRequest.ts"
import { parseSort, parseTop } from "./TopRequest.ts"

/** Parses a question about a table, without conditions; `undefined` for other texts. */
export const parseTableAction = (text: string, table: Table, isFromJson: boolean): ParsedRequest | undefined => {
  if (CHART.test(text)) {
    const plannedChart = planChart(text, table)
    return plannedChart.ok
      ? requestFor({ kind: "chart", plan: plannedChart.plan }, plannedChart.notes)
      : unanswerable(plannedChart.reason)
  }
  const fixedIntent = FIXED_INTENTS.find(
    ([pattern, intent]) =>
      pattern.test(text) &&
      (intent.kind !== "shape" || isFromJson) &&
      !(intent.kind === "count" && countsColumn(text, table))
  )
  if (fixedIntent !== undefined) return requestFor(fixedIntent[1])
  return (
    parseSort(text, table) ??
    parseTop(text, table) ??
    parseSample(text) ??
    parseDescription(text, table) ??
    parseMeasure(text, table)
  )
}

/** "How many items" asks about the column "items", where there is one. */
const countsColumn = (text: string, table: Table): boolean => {
  const [word] = /\b(?:rows?|entries|records|lines|items)\b/i.exec(text) ?? []
  return word !== undefined && findColumn(table, word) !== undefined
}

/** Matches a request for a chart. */
export const CHART = /\b(?:chart|charts|plot|graph|draw|visuali[sz]e|histogram|scatterplot|scatter|diagram)\b/i

const FIXED_INTENTS: ReadonlyArray<readonly [pattern: RegExp, intent: Intent]> = [
  [
    /^how many (?:rows?|entries|records|lines|items)\b(?! (?:by|per))|^(?:the )?(?:row count|number of (?:rows|entries|records)|count(?: (?:the )?rows)?)$|^how many(?: are (?:there|left))?$/i,
    { kind: "count" }
  ],
  [
    /^(?:list|show|which|how many|what(?: are)?|name)?\s*(?:me )?(?:are )?(?:the |all )*(?:columns?|fields?|headers?|schema|column names)(?: (?:are there|do you see|does it have|exist))?$/i,
    { kind: "columns" }
  ],
  [/\b(?:shape|structure|paths|keys)\b/i, { kind: "shape" }],
  [/\boutliers?\b/i, { kind: "outliers" }],
  [/\b(?:duplicates?|duplicate rows)\b/i, { kind: "duplicates" }],
  [
    /^(?:what |which |how many |where |list |show |are there )?(?:is |are )?(?:any |the )?(?:values? (?:are |is )?)?(?:missing|gaps|nulls?|empty)(?: values?| cells?| data)?\b/i,
    { kind: "missing" }
  ]
]

const AS_TABLE =
  /\b(?:as|in) (?:a )?(?:markdown )?table\b|^(?:a )?table$|^(?:show |list |print |display )?(?:the )?(?:first |sample )?(\d+)? ?(?:rows?|data|table|sample|records)$|^first (\d+)(?: rows?)?$|^head$/i
const DESCRIBE =
  /^(?:describe|explain|details? (?:of|on|about|for)|stat(?:istic)?s? (?:of|on|about|for)|distribution of|about|what(?:'s| is) (?:in )?)\s*(?:the )?(?:column )?(.+)$/i

const parseSample = (text: string): ParsedRequest | undefined => {
  const match = AS_TABLE.exec(text)
  if (match === null) return undefined
  const limit = Number(match[1] ?? match[2] ?? 10)
  const refersToLastChart = /\btable$/i.test(text) && !/\b(?:rows?|data)\b/i.test(text)
  return requestFor(
    { kind: "table", limit: Math.min(Math.max(1, limit), 25), refersToLastChart },
    limit > 25 ? [Language.text("A message holds 25 rows at most.", "一条消息最多放 25 行。")] : []
  )
}

const parseDescription = (text: string, table: Table): ParsedRequest | undefined => {
  const match = DESCRIBE.exec(text)
  const column = match === null ? undefined : findColumn(table, (match[1] ?? "").replace(/\bcolumn\b/gi, " "))
  return column === undefined
    ? undefined
    : requestFor({ kind: "describe", column: column.index }, ambiguityNotes(column))
}
