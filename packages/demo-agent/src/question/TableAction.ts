import type { Table } from "../data/Table.ts"
import { planChart } from "./ChartRequest.ts"
import { ambiguityNotes, findColumn } from "./ColumnMatch.ts"
import { asking, cannot, type Intent, type ParsedRequest } from "./Intent.ts"
import { parseMeasure } from "./MeasureRequest.ts"
import { parseTop } from "./TopRequest.ts"

/** Understands a question about a table without its conditions; `undefined` when it is none. */
export const parseTableAction = (text: string, table: Table, json: boolean): ParsedRequest | undefined => {
  if (CHART.test(text)) {
    const planned = planChart(text, table)
    return planned.ok ? asking({ do: "chart", plan: planned.plan }, planned.notes) : cannot(planned.why)
  }
  const simple = SIMPLE.find(([pattern, intent]) => pattern.test(text) && (intent.do !== "shape" || json))
  if (simple !== undefined) return asking(simple[1])
  return parseTop(text, table) ?? parseSample(text) ?? parseDescription(text, table) ?? parseMeasure(text, table)
}

/** Asks for a chart. */
export const CHART = /\b(?:chart|charts|plot|graph|draw|visuali[sz]e|histogram|scatterplot|scatter|diagram)\b/i

const SIMPLE: ReadonlyArray<readonly [pattern: RegExp, intent: Intent]> = [
  [
    /^how many (?:rows?|entries|records|lines|items)\b(?! (?:by|per))|^(?:the )?(?:row count|number of (?:rows|entries|records)|count(?: (?:the )?rows)?)$|^how many(?: are (?:there|left))?$/i,
    { do: "count" }
  ],
  [
    /^(?:list|show|which|what(?: are)?|name)?\s*(?:me )?(?:are )?(?:the |all )*(?:columns?|fields?|headers?|schema|column names)(?: (?:are there|do you see|does it have|exist))?$/i,
    { do: "columns" }
  ],
  [/\b(?:shape|structure|paths|keys)\b/i, { do: "shape" }],
  [/\boutliers?\b/i, { do: "outliers" }],
  [/\b(?:duplicates?|duplicate rows)\b/i, { do: "duplicates" }],
  [
    /^(?:what |which |how many |where |list |show |are there )?(?:is |are )?(?:any |the )?(?:values? (?:are |is )?)?(?:missing|gaps|nulls?|empty)(?: values?| cells?| data)?\b/i,
    { do: "missing" }
  ]
]

const AS_TABLE =
  /\b(?:as|in) (?:a )?(?:markdown )?table\b|^(?:a )?table$|^(?:show |list |print |display )?(?:the )?(?:first |sample )?(\d+)? ?(?:rows?|data|table|sample|records)$|^first (\d+)(?: rows?)?$|^head$/i
const DESCRIBE =
  /^(?:describe|explain|details? (?:of|on|about|for)|stat(?:istic)?s? (?:of|on|about|for)|distribution of|about|what(?:'s| is) (?:in )?)\s*(?:the )?(?:column )?(.+)$/i

const parseSample = (text: string): ParsedRequest | undefined => {
  const found = AS_TABLE.exec(text)
  if (found === null) return undefined
  const limit = Number(found[1] ?? found[2] ?? 10)
  const again = /\btable$/i.test(text) && !/\b(?:rows?|data)\b/i.test(text)
  return asking(
    { do: "table", limit: Math.min(Math.max(1, limit), 25), again },
    limit > 25 ? ["A message holds 25 rows at most."] : []
  )
}

const parseDescription = (text: string, table: Table): ParsedRequest | undefined => {
  const found = DESCRIBE.exec(text)
  const column = found === null ? undefined : findColumn(table, (found[1] ?? "").replace(/\bcolumn\b/gi, " "))
  return column === undefined ? undefined : asking({ do: "describe", column: column.index }, ambiguityNotes(column))
}
