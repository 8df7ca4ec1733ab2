import { isDate, isLabel, isNumber, allRows, type Column, type Table } from "../data/Table.ts"
import type { Measure } from "../data/Aggregation.ts"
import { distinctIn, isIdentifier } from "../data/Statistics.ts"
import * as Markdown from "../format/Markdown.ts"
import { ambiguityNotes, findColumn, matchName, unknownColumn } from "./ColumnMatch.ts"
import { byGroup, defaultChart, largestColumn, overTime, type PlannedChart } from "./DefaultChart.ts"
import { measureIn, granularityIn } from "./Figures.ts"

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
    const adverb = STEP_ADVERBS.exec(subject)
    if (adverb !== null)
      return withNotes(requestOverTime(table, subject.replace(STEP_ADVERBS, " "), adverb[1] ?? "", measure), notes)
    const one = subjectColumn(table, left, notes)
    return typeof one === "string" ? { ok: false, why: one } : withNotes(oneColumn(table, one, histogram), notes)
  }
  const right = pair[3] ?? ""
  const step = granularityIn(right)
  const rightColumn = findColumn(table, right)
  if (step !== undefined && (rightColumn === undefined || !isLabel(table.columns[rightColumn.index] ?? NO_COLUMN))) {
    return withNotes(requestOverTime(table, left, right, measure), notes)
  }
  if (rightColumn === undefined) return { ok: false, why: unknownColumn(table, right) }
  notes.push(...ambiguityNotes(rightColumn))
  const counting = measure === "count" || left === "" || COUNTED.test(left)
  const found = counting ? undefined : subjectColumn(table, left, notes)
  if (typeof found === "string") return { ok: false, why: found }
  const one = measure === undefined ? countedInstead(table, found, notes) : found
  const versus = scatter || /^(vs|versus|against|and)/i.test(pair[2] ?? "")
  return withNotes(twoColumns(table, one, rightColumn.index, measure, versus, bars), notes)
}

const NOISE =
  /\b(please|a|an|the|me|chart|charts|plot|graph|draw|show|make|create|visuali[sz]e|bars?|lines?|pie|donut|doughnut|scatter|scatterplot|histogram|distribution|diagram|of|as|picture|image|png|its|their|for|with)\b(?! each)/gi
const MEASURES = /\b(average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|count|counts)\b/gi
const COUNTED = /^(?:rows?|entries|records|lines|items|how many|it|them|this|data)$/i
const STEP_ADVERBS = /\b(daily|weekly|monthly|quarterly|yearly|annually)\b/i
const NO_COLUMN: Column = { name: "", kind: "empty", codes: new Uint32Array(), labels: [], notes: [] }

const requestOverTime = (table: Table, left: string, right: string, measure: Measure | undefined): PlannedChart => {
  const dates = table.columns.flatMap((column, index) => (isDate(column) ? [index] : []))
  const named = dates.find(
    (index) => matchName([nameAt(table, index)], right.replace(/\b(by|per|over)\b/g, "")) !== undefined
  )
  const date = named ?? dates[0]
  if (date === undefined) return { ok: false, why: "No column holds dates, so I cannot draw over time." }
  const notes =
    dates.length > 1 && named === undefined
      ? ambiguityNotes({
          name: nameAt(table, date),
          others: dates.filter((i) => i !== date).map((i) => nameAt(table, i))
        })
      : []
  const step = granularityIn(right)
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
  const match = findColumn(table, phrase)
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
  if (match === undefined) return unknownColumn(table, phrase)
  notes.push(...ambiguityNotes(match))
  return match.index
}

const oneColumn = (table: Table, index: number, histogram: boolean): PlannedChart => {
  const column = table.columns[index] ?? NO_COLUMN
  if (isNumber(column)) return { ok: true, plan: { mark: "histogram", column: index }, notes: [] }
  if (isDate(column)) return overTime(table, index, undefined, "count", undefined)
  const notes = histogram ? [`${Markdown.bold(column.name)} holds words, so I count how often each occurs.`] : []
  return column.kind === "empty"
    ? { ok: false, why: `${Markdown.bold(column.name)} has no values to draw.` }
    : withNotes(byGroup(table, index, undefined, "count"), notes)
}

const twoColumns = (
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
  if (first !== undefined && isNumber(by) && (versus || by.kind === "number" || distinctIn(by, allRows(table)) > 30)) {
    return { ok: true, plan: { mark: "scatter", x: second, y: first }, notes: [] }
  }
  return byGroup(table, second, first, measure)
}

const largestHistogram = (table: Table, smallest: boolean): PlannedChart => {
  const found = largestColumn(table, smallest)
  return found === undefined
    ? { ok: false, why: "No column holds numbers, so there is no histogram to draw." }
    : { ok: true, plan: { mark: "histogram", column: found.index }, notes: [] }
}

const nameAt = (table: Table, index: number): string => table.columns[index]?.name ?? ""

const withNotes = (planned: PlannedChart, notes: ReadonlyArray<string>): PlannedChart =>
  planned.ok ? { ...planned, notes: [...notes, ...planned.notes] } : planned
