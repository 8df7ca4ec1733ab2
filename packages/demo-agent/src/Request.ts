import { measureIn, planChart, stepWord, type ChartPlan } from "./ChartPlan.ts"
import { matchColumn } from "./ColumnMatch.ts"
import type { Condition, Filter } from "./Filter.ts"
import { parseFilter } from "./FilterPhrase.ts"
import { usualMeasure, type Measure, type Step } from "./Groups.ts"
import * as Markdown from "./Markdown.ts"
import { understandParts } from "./Parts.ts"
import { isDate, isLabel, isNumber, type Table } from "./Table.ts"

/** What a person wants done with the data at hand; columns by index. */
export type Intent =
  | { readonly do: "look"; /** The chart asked for in the same breath. */ readonly plan?: ChartPlan | undefined }
  | { readonly do: "rows" | "count" | "columns" | "outliers" | "missing" | "duplicates" | "help" | "shape" }
  | { readonly do: "headings" | "links" | "words" | "frequent" }
  | { readonly do: "items"; readonly which: "open" | "done" | "all" }
  | {
      readonly do: "table"
      readonly limit: number
      /** "As a table": the last chart is meant, if there was one. */ readonly again: boolean
    }
  | { readonly do: "top"; readonly column: number; readonly limit: number; readonly largest: boolean }
  | { readonly do: "describe"; readonly column: number }
  | {
      readonly do: "measure"
      readonly measure: Measure
      readonly column?: number | undefined
      readonly by?: number | undefined
      readonly step: Step
      readonly limit?: number | undefined
      readonly largest: boolean
    }
  | { readonly do: "chart"; readonly plan: ChartPlan | undefined }
  | { readonly do: "cannot"; readonly why: string }

/** An intent with the changes of the row filter that come with it. */
export interface Understood {
  readonly intent: Intent
  /** What was asked beside it, answered in words and tables. */
  readonly also?: ReadonlyArray<Intent>
  /** Conditions to add to those of the session. */
  readonly filters: ReadonlyArray<Filter>
  /** The conditions of the session are dropped first. */
  readonly reset: boolean
  /** Choices made for the reader, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** What the request is about: a table, a text, or JSON without a table. */
export type Subject =
  | { readonly kind: "table"; readonly table: Table; readonly json: boolean }
  | { readonly kind: "prose" }
  | { readonly kind: "json" }

/** Understands a request about data; `fresh` is true when the data came with this request. */
export const understand = (request: string, subject: Subject, fresh: boolean): Understood => {
  const text = polish(request)
  if (text === "") return just({ do: "look" })
  if (/^(?:help|commands?|what can you do|what else|hilfe)\b/i.test(text)) return just({ do: "help" })
  const one = (part: string): Understood | undefined =>
    subject.kind === "table" ? aboutTable(part, subject.table, subject.json) : aboutText(part, subject.kind)
  const parts = understandParts(text, {
    one: (part) => one(polish(part)) ?? (LOOK.test(part) ? just({ do: "look" }) : undefined),
    continues: (part) => subject.kind === "table" && continues(polish(part), subject.table, subject.json)
  })
  if (parts !== undefined) return parts
  const understood = one(text)
  if (understood !== undefined && !(fresh && understood.intent.do === "cannot")) return understood
  if (LOOK.test(text)) return just({ do: "look" })
  if (fresh) {
    const why = understood?.intent.do === "cannot" ? understood.intent.why : "I could not tell what exactly you asked"
    return { ...just({ do: "look" }), notes: [`${why.replace(/\.$/, "")}. So here is a full look first.`] }
  }
  return just({ do: "cannot", why: "I did not understand that." })
}

const LOOK =
  /\b(what(?:'s| is| does| do)|what’s|summar|overview|analy[sz]|look|tell me|explore|report|inspect|explain|describe|read|check|statistics|stats|profile|zusammenfass|was ist)/i
const CHART = /\b(?:chart|charts|plot|graph|draw|visuali[sz]e|histogram|scatterplot|scatter|diagram)\b/i
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

const polish = (request: string): string => {
  let text = request
    .replace(/<@!?\d+>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 2000)
  const polite =
    /^(?:hi|hello|hey|please|pls|ok(?:ay)?|thanks|now|then|and|so|also|can you|could you|would you|will you|i want(?: to see)?|i would like(?: to see)?|i'd like(?: to see)?|let's see|let me see|show me|give me|tell me)(?:[,!.:]|\b)\s*/i
  for (let i = 0; i < 5; i++) text = text.replace(polite, "")
  return text.replace(/(?:,?\s+(?:please|pls|thanks|thank you|again|instead|now|too))*[\s.?!:]*$/i, "").trim()
}

const just = (intent: Intent, notes: ReadonlyArray<string> = []): Understood => ({
  intent,
  filters: [],
  reset: false,
  notes
})

const aboutTable = (text: string, table: Table, json: boolean): Understood | undefined => {
  if (RESET.test(text)) return { ...just({ do: "rows" }), reset: true }
  const everywhere = EVERY_ROW.exec(text)
  const unfiltered = everywhere === null ? undefined : tableAction(everywhere[1] ?? "", table, json)
  if (unfiltered !== undefined && unfiltered.intent.do !== "cannot") return { ...unfiltered, reset: true }
  const whole = ONLY.exec(text) ?? ROWS_WHERE.exec(text)
  if (whole !== null) return filtered(whole[1] ?? "", table, { do: "rows" })
  const without = WITHOUT.exec(text)
  if (without !== null) return excluded(without[1] ?? "", table)
  const split = ACTION_WHERE.exec(text)
  if (split !== null) {
    const action = tableAction(split[1] ?? "", table, json)
    if (action !== undefined && action.intent.do !== "cannot")
      return filtered(split[2] ?? "", table, action.intent, action.notes)
  }
  const suffixed = ACTION_FOR.exec(text)
  if (suffixed !== null) {
    const filter = parseFilter(suffixed[2] ?? "", table)
    const inner = filter.ok ? tableAction(suffixed[1] ?? "", table, json) : undefined
    if (inner !== undefined && inner.intent.do !== "cannot") {
      return filtered(suffixed[2] ?? "", table, inner.intent, inner.notes)
    }
  }
  const action = tableAction(text, table, json)
  if (action !== undefined) return action
  const bare = parseFilter(text, table)
  if (bare.ok) return { intent: { do: "rows" }, filters: bare.filters, reset: false, notes: bare.notes }
  const column = matchColumn(names(table), text)
  return column === undefined ? undefined : just({ do: "describe", column: column.index }, tell(column))
}

/** A condition, a value or a column that no verb goes with. */
const continues = (text: string, table: Table, json: boolean): boolean => {
  if ([RESET, ONLY, ROWS_WHERE, WITHOUT].some((pattern) => pattern.test(text))) return false
  const action = tableAction(text, table, json)
  if (action !== undefined && action.intent.do !== "cannot") return false
  return parseFilter(text, table).ok || matchColumn(names(table), text) !== undefined
}

const filtered = (phrase: string, table: Table, intent: Intent, notes: ReadonlyArray<string> = []): Understood => {
  const parsed = parseFilter(phrase, table)
  return parsed.ok
    ? { intent, filters: parsed.filters, reset: false, notes: [...notes, ...parsed.notes] }
    : just({ do: "cannot", why: parsed.why })
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

const excluded = (phrase: string, table: Table): Understood | undefined => {
  const parsed = parseFilter(phrase.replace(/^outliers.*/i, ""), table)
  if (!parsed.ok) return just({ do: "cannot", why: parsed.why })
  const [only] = parsed.filters
  if (parsed.filters.length !== 1 || only === undefined)
    return just({ do: "cannot", why: "I can exclude by one condition at a time." })
  const opposite: Array<Filter> = []
  for (const condition of only.any) {
    const operator = OPPOSITE[condition.operator]
    if (operator === undefined) return just({ do: "cannot", why: `I cannot exclude by “${condition.operator}”.` })
    opposite.push({ any: [{ ...condition, operator }] })
  }
  return { intent: { do: "rows" }, filters: opposite, reset: false, notes: parsed.notes }
}

const tableAction = (text: string, table: Table, json: boolean): Understood | undefined => {
  if (CHART.test(text)) {
    const planned = planChart(text, table)
    return planned.ok
      ? just({ do: "chart", plan: planned.plan }, planned.notes)
      : just({ do: "cannot", why: planned.why })
  }
  if (
    /^how many (?:rows?|entries|records|lines|items)\b(?! (?:by|per))|^(?:the )?(?:row count|number of (?:rows|entries|records)|count(?: (?:the )?rows)?)$|^how many(?: are (?:there|left))?$/i.test(
      text
    )
  ) {
    return just({ do: "count" })
  }
  if (
    /^(?:list|show|which|what(?: are)?|name)?\s*(?:me )?(?:are )?(?:the |all )*(?:columns?|fields?|headers?|schema|column names)(?: (?:are there|do you see|does it have|exist))?$/i.test(
      text
    )
  ) {
    return just({ do: "columns" })
  }
  if (json && /\b(?:shape|structure|paths|keys)\b/i.test(text)) return just({ do: "shape" })
  if (/\boutliers?\b/i.test(text)) return just({ do: "outliers" })
  if (/\b(?:duplicates?|duplicate rows)\b/i.test(text)) return just({ do: "duplicates" })
  if (
    /^(?:what |which |how many |where |list |show |are there )?(?:is |are )?(?:any |the )?(?:values? (?:are |is )?)?(?:missing|gaps|nulls?|empty)(?: values?| cells?| data)?\b/i.test(
      text
    )
  ) {
    return just({ do: "missing" })
  }
  const top = topOf(text, table)
  if (top !== undefined) return top
  const asTable =
    /\b(?:as|in) (?:a )?(?:markdown )?table\b|^(?:a )?table$|^(?:show |list |print |display )?(?:the )?(?:first |sample )?(\d+)? ?(?:rows?|data|table|sample|records)$|^first (\d+)(?: rows?)?$|^head$/i.exec(
      text
    )
  if (asTable !== null) {
    const limit = Number(asTable[1] ?? asTable[2] ?? 10)
    return just(
      {
        do: "table",
        limit: Math.min(Math.max(1, limit), 25),
        again: /\btable$/i.test(text) && !/\b(?:rows?|data)\b/i.test(text)
      },
      limit > 25 ? ["A message holds 25 rows at most."] : []
    )
  }
  const described =
    /^(?:describe|explain|details? (?:of|on|about|for)|stat(?:istic)?s? (?:of|on|about|for)|distribution of|about|what(?:'s| is) (?:in )?)\s*(?:the )?(?:column )?(.+)$/i.exec(
      text
    )
  if (described !== null) {
    const column = matchColumn(names(table), (described[1] ?? "").replace(/\bcolumn\b/gi, " "))
    if (column !== undefined) return just({ do: "describe", column: column.index }, tell(column))
  }
  return measureOf(text, table)
}

const topOf = (text: string, table: Table): Understood | undefined => {
  const found =
    /\b(top|highest|largest|biggest|most expensive|latest|newest|bottom|lowest|smallest|cheapest|earliest|oldest|worst|best)\b(?:\s+(\d+))?\s*(?:rows?|entries|records)?\s*(.*)$/i.exec(
      text
    )
  if (found === null || /\b(?:what is|average|mean|sum|total|median)\b/i.test(text.slice(0, found.index)))
    return undefined
  const largest = !/bottom|lowest|smallest|cheapest|earliest|oldest|worst/i.test(found[1] ?? "")
  const limit = Math.min(Math.max(1, Number(found[2] ?? 10)), 25)
  const rest = (found[3] ?? "").trim()
  const by = /^(.*?)\s*\bby\s+(.+)$/i.exec(rest)
  const subject = matchColumn(names(table), by === null ? rest : (by[1] ?? ""))
  const measured =
    by === null
      ? undefined
      : matchColumn(
          names(table),
          (by[2] ?? "").replace(/\b(?:total|sum|average|mean|avg|median|number|count|of)\b/gi, " ")
        )
  if (by !== null && measured === undefined && !/\b(?:count|number|rows)\b/i.test(by[2] ?? "")) {
    return just({ do: "cannot", why: unknown(by[2] ?? "", table) })
  }
  const column = subject === undefined ? undefined : table.columns[subject.index]
  if (column !== undefined && subject !== undefined && isLabel(column)) {
    const measure = measureIn(by?.[2] ?? "") ?? (measured === undefined ? "count" : usualMeasure(measured.name))
    return just(
      {
        do: "measure",
        measure,
        column: measure === "count" ? undefined : measured?.index,
        by: subject.index,
        step: "month",
        limit,
        largest
      },
      tell(subject)
    )
  }
  const key = measured ?? subject
  if (key === undefined)
    return found[2] === undefined ? undefined : just({ do: "cannot", why: `By which column? ${unknown(rest, table)}` })
  return just({ do: "top", column: key.index, limit, largest }, tell(key))
}

const measureOf = (text: string, table: Table): Understood | undefined => {
  const measure = measureIn(text)
  const many =
    /^(?:how many|which|what)\s+(?:different |distinct |unique )?(.+?)(?:\s+(?:are there|exist|do we have|values))?$/i.exec(
      text
    )
  const distinct =
    many === null || /\b(?:by|per)\b/i.test(many[1] ?? "") ? undefined : matchColumn(names(table), many[1] ?? "")
  if (distinct !== undefined) return just({ do: "describe", column: distinct.index }, tell(distinct))
  if (measure === undefined) return undefined
  const found = /^(.*?)\s*\b(?:by|per|for each|in each|grouped by|across)\s+(.+)$/i.exec(text)
  const left = (found?.[1] ?? text)
    .replace(
      /\b(?:what|which|is|are|was|the|average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|count|counts|of|how|many|rows?|calculate|compute|show|value)\b/gi,
      " "
    )
    .trim()
  const column = left === "" ? undefined : matchColumn(names(table), left)
  if (left !== "" && column === undefined && measure !== "count")
    return just({ do: "cannot", why: unknown(left, table) })
  const measured = column === undefined ? undefined : table.columns[column.index]
  if (measure !== "count" && measured === undefined)
    return just({ do: "cannot", why: `Which column do you mean? ${unknown("", table)}` })
  if (
    measured !== undefined &&
    !isNumber(measured) &&
    measure !== "count" &&
    !(isDate(measured) && (measure === "min" || measure === "max"))
  ) {
    return just({
      do: "cannot",
      why: `${Markdown.bold(measured.name)} does not hold numbers, so it has no ${measure === "mean" ? "average" : measure}.`
    })
  }
  const notes = column === undefined ? [] : tell(column)
  if (found === null)
    return just({ do: "measure", measure, column: column?.index, step: "month", largest: true }, notes)
  const right = found[2] ?? ""
  const step = stepWord(right)
  const date = table.columns.findIndex(isDate)
  const by = matchColumn(names(table), right)
  if (
    step !== undefined &&
    date >= 0 &&
    (by === undefined ||
      isDate(table.columns[by.index] ?? { kind: "empty", name: "", codes: new Uint32Array(), labels: [], notes: [] }))
  ) {
    return just(
      {
        do: "measure",
        measure,
        column: column?.index,
        by: by?.index ?? date,
        step: step === "time" ? "month" : step,
        largest: true
      },
      notes
    )
  }
  if (by === undefined) return just({ do: "cannot", why: unknown(right, table) })
  return just({ do: "measure", measure, column: column?.index, by: by.index, step: "month", largest: true }, [
    ...notes,
    ...tell(by)
  ])
}

const aboutText = (text: string, kind: "prose" | "json"): Understood | undefined => {
  if (CHART.test(text))
    return kind === "prose"
      ? just({ do: "chart", plan: undefined })
      : just({ do: "cannot", why: "This JSON holds no array of objects, so there are no columns to draw." })
  if (kind === "json") {
    if (/\b(?:shape|structure|paths?|keys|fields|table|columns)\b/i.test(text)) return just({ do: "shape" })
    return undefined
  }
  if (ITEMS.test(text)) return just({ do: "items", which: whichItems(text) })
  if (/\b(?:headings?|outline|structure|sections?|toc|table of contents|chapters)\b/i.test(text))
    return just({ do: "headings" })
  if (/\b(?:links?|urls?)\b/i.test(text)) return just({ do: "links" })
  if (/\b(?:frequent|common|top|most used|keywords?)\b/i.test(text)) return just({ do: "frequent" })
  if (/\b(?:words?|how long|length|reading time|sentences|characters|count|lines|paragraphs)\b/i.test(text))
    return just({ do: "words" })
  return undefined
}

const ITEMS =
  /\b(?:to-?dos?|check-?lists?|check ?box(?:es)?|tasks?|items?|(?:open|done|finished|closed) (?:points?|questions?|ones)|(?:what(?:'s| is)|still) (?:still )?(?:open|left|outstanding|to do|done|finished))\b/i

const whichItems = (text: string): "open" | "done" | "all" => {
  const open =
    /\b(?:open|unchecked|unfinished|outstanding|left|remaining|pending|to-?dos?|to do|not (?:yet )?done)\b/i.test(text)
  const done = /(?<!not )(?<!not yet )\b(?:done|checked|finished|completed?|closed)\b/i.test(text)
  return open === done ? "all" : open ? "open" : "done"
}

const names = (table: Table): ReadonlyArray<string> => table.columns.map((column) => column.name)

const tell = (match: { readonly name: string; readonly others: ReadonlyArray<string> }): ReadonlyArray<string> =>
  match.others.length === 0
    ? []
    : [`I took ${Markdown.bold(match.name)}; ${Markdown.list(match.others.map(Markdown.bold))} would fit as well.`]

const unknown = (phrase: string, table: Table): string => {
  const all = names(table)
  const known =
    all.length <= 12
      ? Markdown.list(all.map(Markdown.bold))
      : `${all.slice(0, 12).map(Markdown.bold).join(", ")} and ${all.length - 12} more`
  return phrase === ""
    ? `The columns are ${known}.`
    : `I found no column “${Markdown.cell(phrase)}”. The columns are ${known}.`
}
