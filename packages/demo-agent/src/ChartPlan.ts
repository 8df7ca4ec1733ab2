import { matchColumn } from "./ColumnMatch.ts"
import { stepFor, usualMeasure, type Measure, type Step } from "./Groups.ts"
import * as Markdown from "./Markdown.ts"
import { isIdentifier, summariseLabels, summariseNumbers } from "./Statistics.ts"
import { allRows, isDate, isLabel, isNumber, type Column, type Table } from "./Table.ts"

/** A chart that can be drawn from a table; columns by index. */
export type ChartPlan =
  | { readonly mark: "histogram"; readonly column: number }
  | {
      readonly mark: "bar"
      readonly by: number
      readonly step: Step
      readonly column?: number | undefined
      readonly measure: Measure
    }
  | {
      readonly mark: "line"
      readonly by: number
      readonly step: Step
      readonly column?: number | undefined
      readonly measure: Measure
    }
  | { readonly mark: "scatter"; readonly x: number; readonly y: number }

/** The plan with what a reader should know about the choice, or why there is none. */
export type PlannedChart =
  | { readonly ok: true; readonly plan: ChartPlan; readonly notes: ReadonlyArray<string> }
  | { readonly ok: false; readonly why: string }

/** Plans the chart that says most about a table nobody has asked a question about yet. */
export const defaultChart = (table: Table): PlannedChart => {
  const largest = largestColumn(table)
  const date = table.columns.findIndex(
    (column) => isDate(column) && Number.isFinite(column.values.find(Number.isFinite))
  )
  if (largest !== undefined && date >= 0) return overTime(table, date, largest.index, undefined, undefined)
  const category = table.columns.findIndex((column) => isCategory(table, column))
  if (largest !== undefined && category >= 0) return byGroup(table, category, largest.index, undefined)
  if (largest !== undefined) return { ok: true, plan: { mark: "histogram", column: largest.index }, notes: [] }
  if (category >= 0) return byGroup(table, category, undefined, "count")
  const words = table.columns.findIndex((column) => column.kind === "text")
  if (words >= 0 && table.rowCount > 0) return byGroup(table, words, undefined, "count")
  return { ok: false, why: "There is no column with values to draw." }
}

/** Plans the chart a person asked for, "price by month", from the words without the word for chart itself. */
export const planChart = (asked: string, table: Table): PlannedChart => {
  if (table.columns.length === 0 || table.rowCount === 0) return { ok: false, why: "There are no rows to draw." }
  const notes: Array<string> = []
  if (/\b(pie|donut|doughnut)\b/i.test(asked))
    notes.push("I draw bars instead of a pie: lengths compare better than angles.")
  const histogram = /\b(histogram|distribution)\b/i.test(asked)
  const scatter = /\bscatter/i.test(asked)
  const bars = /\b(bars?|columns?) ?(chart|plot|graph)\b/i.test(asked)
  const measure = measureIn(asked)
  const subject = asked.replace(NOISE, " ").replace(/\s+/g, " ").trim()
  if (subject === "") {
    if (histogram) return withNotes(largestHistogram(table, false), notes)
    return withNotes(defaultChart(table), notes)
  }
  const pair = /^(.*?)\s*\b(vs\.?|versus|against|by|per|over|across|for each|grouped by|and)\s+(.+)$/i.exec(subject)
  const left = (pair?.[1] ?? subject).replace(MEASURES, " ").trim()
  if (pair === null) {
    const timely = STEP_ADVERBS.exec(subject)
    if (timely !== null)
      return withNotes(timed(table, subject.replace(STEP_ADVERBS, " "), timely[1] ?? "", measure), notes)
    const one = subjectColumn(table, left, notes)
    return typeof one === "string" ? { ok: false, why: one } : withNotes(single(table, one, histogram), notes)
  }
  const right = pair[3] ?? ""
  const step = stepWord(right)
  const rightColumn = matchColumn(
    table.columns.map((column) => column.name),
    right
  )
  if (step !== undefined && (rightColumn === undefined || !isLabel(table.columns[rightColumn.index] ?? NO_COLUMN))) {
    return withNotes(timed(table, left, right, measure), notes)
  }
  if (rightColumn === undefined) return { ok: false, why: noColumn(table, right) }
  notes.push(...ambiguous(rightColumn.name, rightColumn.others))
  const counting = measure === "count" || left === "" || COUNTED.test(left)
  const found = counting ? undefined : subjectColumn(table, left, notes)
  if (typeof found === "string") return { ok: false, why: found }
  const one = measure === undefined ? countedInstead(table, found, notes) : found
  const versus = scatter || /^(vs|versus|against|and)/i.test(pair[2] ?? "")
  return withNotes(double(table, one, rightColumn.index, measure, versus, bars), notes)
}

/** The column of numbers with the largest sum, leaving out identifiers. */
export const largestColumn = (
  table: Table,
  smallest = false
): { readonly index: number; readonly sum: number; readonly skipped: ReadonlyArray<string> } | undefined => {
  const rows = allRows(table)
  const numbers = table.columns.flatMap((column, index) =>
    isNumber(column) ? [{ index, column, sum: summariseNumbers(column, rows) }] : []
  )
  const measured = numbers.filter(({ column, sum }) => sum.present > 0 && !isIdentifier(table, column))
  const candidates = measured.length > 0 ? measured : numbers.filter(({ sum }) => sum.present > 0)
  const skipped = numbers
    .filter((entry) => !candidates.includes(entry) && entry.sum.present > 0)
    .map(({ column }) => column.name)
  const best = candidates.sort((a, b) => (smallest ? a.sum.sum - b.sum.sum : b.sum.sum - a.sum.sum))[0]
  return best === undefined ? undefined : { index: best.index, sum: best.sum.sum, skipped }
}

const NOISE =
  /\b(please|a|an|the|me|chart|charts|plot|graph|draw|show|make|create|visuali[sz]e|bars?|lines?|pie|donut|doughnut|scatter|scatterplot|histogram|distribution|diagram|of|as|picture|image|png|its|their|for|with)\b(?! each)/gi
const MEASURES = /\b(average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|count|counts)\b/gi
const COUNTED = /^(?:rows?|entries|records|lines|items|how many|it|them|this|data)$/i
const STEP_ADVERBS = /\b(daily|weekly|monthly|quarterly|yearly|annually)\b/i
const NO_COLUMN: Column = { name: "", kind: "empty", codes: new Uint32Array(), labels: [], notes: [] }

/** The measure named in a request, if any. */
export const measureIn = (text: string): Measure | undefined => {
  if (/\b(average|mean|avg)\b/i.test(text)) return "mean"
  if (/\bmedian\b/i.test(text)) return "median"
  if (/\b(minimum|min|lowest)\b/i.test(text)) return "min"
  if (/\b(maximum|max|highest)\b/i.test(text)) return "max"
  if (/\b(sum|total)\b/i.test(text)) return "sum"
  return /\b(count|counts|number of|how many)\b/i.test(text) ? "count" : undefined
}

/** The step of time named in a phrase, "time" when only the axis is named. */
export const stepWord = (text: string): Step | "time" | undefined => {
  const found =
    /\b(weekday|day of (?:the )?week|day|date|week|month|quarter|year|time|daily|weekly|monthly|quarterly|yearly|annually)s?\b/i.exec(
      text
    )
  if (found === null) return undefined
  const word = (found[1] ?? "").toLowerCase()
  if (word === "weekday" || word.startsWith("day of")) return "weekday"
  if (word === "time" || word === "date") return "time"
  if (word === "annually") return "year"
  return word === "daily" ? "day" : toStep(word.replace(/ly$/, ""))
}

const toStep = (word: string): Step | undefined =>
  word === "day" || word === "week" || word === "month" || word === "quarter" || word === "year" ? word : undefined

const timed = (table: Table, left: string, right: string, measure: Measure | undefined): PlannedChart => {
  const dates = table.columns.flatMap((column, index) => (isDate(column) ? [index] : []))
  const named = dates.find(
    (index) => matchColumn([table.columns[index]?.name ?? ""], right.replace(/\b(by|per|over)\b/g, "")) !== undefined
  )
  const date = named ?? dates[0]
  if (date === undefined) return { ok: false, why: "No column holds dates, so I cannot draw over time." }
  const notes =
    dates.length > 1 && named === undefined
      ? ambiguous(
          nameAt(table, date),
          dates.filter((i) => i !== date).map((i) => nameAt(table, i))
        )
      : []
  const step = stepWord(right)
  const wanted = step === "time" ? undefined : step
  const subject = left.replace(MEASURES, " ").trim()
  if (measure === "count" || subject === "" || COUNTED.test(subject)) {
    return withNotes(overTime(table, date, undefined, "count", wanted), notes)
  }
  const more: Array<string> = []
  const column = subjectColumn(table, subject, more)
  if (typeof column === "string") return { ok: false, why: column }
  const one = measure === undefined ? countedInstead(table, column, more) : column
  return withNotes(overTime(table, date, one, measure, wanted), [...notes, ...more])
}

/** "orders by month" means how many, not the sum of the order numbers. */
const countedInstead = (table: Table, index: number | undefined, notes: Array<string>): number | undefined => {
  const column = index === undefined ? undefined : table.columns[index]
  if (column === undefined || !isIdentifier(table, column)) return index
  notes.push(`${Markdown.bold(column.name)} looks like an identifier, so I count its rows.`)
  return undefined
}

const subjectColumn = (table: Table, phrase: string, notes: Array<string>): number | string => {
  const superlative = /\b(largest|biggest|greatest|smallest)\b/i.exec(phrase)
  const match = matchColumn(
    table.columns.map((column) => column.name),
    phrase
  )
  if (superlative !== null && (match === undefined || /\bcolumn|number|one\b/i.test(phrase))) {
    const small = /smallest/i.test(superlative[1] ?? "")
    const found = largestColumn(table, small)
    if (found === undefined) return "No column holds numbers, so none of them is the largest."
    const skipped =
      found.skipped.length > 0
        ? `; ${Markdown.list(found.skipped.map(Markdown.bold))} looks like an identifier and does not count`
        : ""
    notes.push(
      `I took ${Markdown.bold(nameAt(table, found.index))}: the numeric column with the ${small ? "smallest" : "largest"} sum (${Markdown.number(found.sum)})${skipped}.`
    )
    return found.index
  }
  if (match === undefined) return noColumn(table, phrase)
  notes.push(...ambiguous(match.name, match.others))
  return match.index
}

const single = (table: Table, index: number, histogram: boolean): PlannedChart => {
  const column = table.columns[index] ?? NO_COLUMN
  if (isNumber(column)) return { ok: true, plan: { mark: "histogram", column: index }, notes: [] }
  if (isDate(column)) return overTime(table, index, undefined, "count", undefined)
  const notes = histogram ? [`${Markdown.bold(column.name)} holds words, so I count how often each occurs.`] : []
  return column.kind === "empty"
    ? { ok: false, why: `${Markdown.bold(column.name)} has no values to draw.` }
    : withNotes(byGroup(table, index, undefined, "count"), notes)
}

const double = (
  table: Table,
  first: number | undefined,
  second: number,
  measure: Measure | undefined,
  versus: boolean,
  bars: boolean
): PlannedChart => {
  const by = table.columns[second] ?? NO_COLUMN
  const measured = first === undefined ? undefined : table.columns[first]
  if (measured !== undefined && first !== undefined && !isNumber(measured)) {
    if (isNumber(by))
      return isDate(measured)
        ? overTime(table, first, second, measure, undefined)
        : byGroup(table, first, second, measure)
    if (isDate(measured) && isLabel(by)) return byGroup(table, second, undefined, "count")
    return {
      ok: false,
      why: `Neither ${Markdown.bold(measured.name)} nor ${Markdown.bold(by.name)} holds numbers to draw.`
    }
  }
  if (isDate(by) && !bars) return overTime(table, second, first, measure, undefined)
  if (first !== undefined && isNumber(by) && (versus || by.kind === "number" || distinctOf(table, by) > 30)) {
    return { ok: true, plan: { mark: "scatter", x: second, y: first }, notes: [] }
  }
  return byGroup(table, second, first, measure)
}

const overTime = (
  table: Table,
  by: number,
  column: number | undefined,
  measure: Measure | undefined,
  step: Step | undefined
): PlannedChart => {
  const dates = table.columns[by]
  if (dates === undefined || !isDate(dates))
    return { ok: false, why: "No column holds dates, so I cannot draw over time." }
  const { min, max } = summariseNumbers(dates, allRows(table))
  const chosen = measure ?? (column === undefined ? "count" : usualMeasure(nameAt(table, column)))
  const notes = measure === undefined && column !== undefined ? [assumed(chosen, nameAt(table, column))] : []
  const plan = { by, column: chosen === "count" ? undefined : column, measure: chosen, step: step ?? stepFor(min, max) }
  return { ok: true, plan: { mark: plan.step === "weekday" ? "bar" : "line", ...plan }, notes }
}

const byGroup = (table: Table, by: number, column: number | undefined, measure: Measure | undefined): PlannedChart => {
  const chosen = measure ?? (column === undefined ? "count" : usualMeasure(nameAt(table, column)))
  const notes = measure === undefined && column !== undefined ? [assumed(chosen, nameAt(table, column))] : []
  return {
    ok: true,
    plan: { mark: "bar", by, step: "month", column: chosen === "count" ? undefined : column, measure: chosen },
    notes
  }
}

const largestHistogram = (table: Table, smallest: boolean): PlannedChart => {
  const found = largestColumn(table, smallest)
  return found === undefined
    ? { ok: false, why: "No column holds numbers, so there is no histogram to draw." }
    : { ok: true, plan: { mark: "histogram", column: found.index }, notes: [] }
}

const assumed = (measure: Measure, name: string): string =>
  measure === "mean"
    ? `${Markdown.bold(name)} is averaged; say “total ${Markdown.cell(name)}” for sums.`
    : `${Markdown.bold(name)} is added up; say “average ${Markdown.cell(name)}” for averages.`

const isCategory = (table: Table, column: Column): boolean => {
  if (!isLabel(column) || column.kind === "empty") return false
  const { distinct } = summariseLabels(column, allRows(table), 0)
  return distinct >= 2 && distinct <= 50 && distinct < table.rowCount
}

const distinctOf = (table: Table, column: Column): number =>
  isLabel(column) ? column.labels.length : summariseNumbers(column, allRows(table)).distinct

const nameAt = (table: Table, index: number): string => table.columns[index]?.name ?? ""

const ambiguous = (name: string, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  others.length === 0
    ? []
    : [`I took ${Markdown.bold(name)}; ${Markdown.list(others.map(Markdown.bold))} would fit as well.`]

const noColumn = (table: Table, phrase: string): string => {
  const names = table.columns.map((column) => column.name)
  const known =
    names.length <= 12
      ? Markdown.list(names.map(Markdown.bold))
      : `${names.slice(0, 12).map(Markdown.bold).join(", ")} and ${names.length - 12} more`
  return `I found no column “${Markdown.cell(phrase)}”. The columns are ${known}.`
}

const withNotes = (planned: PlannedChart, notes: ReadonlyArray<string>): PlannedChart =>
  planned.ok ? { ...planned, notes: [...notes, ...planned.notes] } : planned
