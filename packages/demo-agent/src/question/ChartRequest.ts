import { isDate, isIdentifier, isLabel, isNumber, allRows, type Column, type Table } from "../data/Table.ts"
import type { Measure } from "../data/Aggregation.ts"
import { countDistinct } from "../data/Statistics.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { ambiguityNotes, findColumn, matchName, unknownColumn } from "./ColumnMatch.ts"
import {
  planByGroup,
  defaultChart,
  largestColumn,
  noLargestColumn,
  planOverTime,
  type PlannedChart
} from "./DefaultChart.ts"
import { findGranularity, findMeasure, MEASURE_WORDS, readFigure } from "./Figures.ts"
import { notesOn } from "./MeasureRequest.ts"

/** Plans the chart that a request such as "chart price by month" names. */
export const planChart = (request: string, table: Table): PlannedChart => {
  if (table.columns.length === 0 || table.rowCount === 0)
    return { ok: false, reason: Language.text("There are no rows to draw.", "没有行可以画图。") }
  const notes: Array<string> = []
  if (/\b(pie|donut|doughnut)\b/i.test(request))
    notes.push(
      Language.text(
        "I draw bars instead of a pie: lengths compare better than angles.",
        "我画柱状图而不是饼图：长度比角度更容易比较。"
      )
    )
  const wantsHistogram = /\b(histogram|distribution)\b/i.test(request)
  const wantsScatter = /\bscatter/i.test(request)
  const wantsBars = /\b(bars?|columns?) ?(chart|plot|graph)\b/i.test(request)
  const subject = request.replace(NOISE, " ").replace(/\s+/g, " ").trim()
  if (subject === "") {
    if (wantsHistogram) return withNotes(planLargestHistogram(table), notes)
    return withNotes(defaultChart(table), notes)
  }
  const pair = /^(.*?)\s*\b(vs\.?|versus|against|by|per|over|across|for each|grouped by|and)\s+(.+)$/i.exec(subject)
  const named = readFigure(table, (pair?.[1] ?? subject).replace(STEP_ADVERBS, " "))
  const isRightNamed = pair !== null && readFigure(table, pair[3] ?? "") !== undefined
  const measure = named === undefined ? findMeasure(isRightNamed ? (pair[1] ?? "") : request) : named.measure
  const left = named?.column ?? (pair?.[1] ?? subject).replace(MEASURE_WORDS, " ").trim()
  if (pair === null) {
    const adverb = STEP_ADVERBS.exec(subject)
    if (adverb !== null)
      return withNotes(planRequestOverTime(table, left.replace(STEP_ADVERBS, " "), adverb[1] ?? "", measure), notes)
    const column = findSubjectColumn(table, left, notes)
    return typeof column === "string"
      ? { ok: false, reason: column }
      : withNotes(planOneColumn(table, column, wantsHistogram), notes)
  }
  const right = pair[3] ?? ""
  const step = findGranularity(right)
  const rightColumn = findColumn(table, right)
  if (step !== undefined && (rightColumn === undefined || !isLabel(table.columns[rightColumn.index] ?? NO_COLUMN))) {
    return withNotes(planRequestOverTime(table, left, right, measure), notes)
  }
  if (rightColumn === undefined) return { ok: false, reason: unknownColumn(table, right) }
  notes.push(...ambiguityNotes(rightColumn))
  const countsRows = measure === "count" || left === "" || ROW_WORDS.test(left)
  const leftColumn = countsRows ? undefined : findSubjectColumn(table, left, notes)
  if (typeof leftColumn === "string") return { ok: false, reason: leftColumn }
  const column = dropIdentifier(table, leftColumn, notes)
  const isComparison = wantsScatter || /^(vs|versus|against|and)/i.test(pair[2] ?? "")
  const valueMeasure = column === undefined ? "count" : measure
  return withNotes(planTwoColumns(table, column, rightColumn.index, valueMeasure, isComparison, wantsBars), notes)
}

const NOISE =
  /\b(please|a|an|the|me|chart|charts|plot|graph|draw|show|make|create|visuali[sz]e|bars?|lines?|pie|donut|doughnut|scatter|scatterplot|histogram|distribution|diagram|of|as|picture|image|png|its|their|for|with)\b(?! each)/gi
const ROW_WORDS = /^(?:rows?|entries|records|lines|items|how many|it|them|this|data)$/i
const STEP_ADVERBS = /\b(daily|weekly|monthly|quarterly|yearly|annually)\b/i
const NO_COLUMN: Column = { name: "", kind: "empty", codes: new Uint32Array(), labels: [], notes: [] }

const planRequestOverTime = (table: Table, left: string, right: string, measure: Measure | undefined): PlannedChart => {
  const dates = table.columns.flatMap((column, index) => (isDate(column) ? [index] : []))
  const namedDate = dates.find(
    (index) => matchName([nameAt(table, index)], right.replace(/\b(by|per|over)\b/g, "")) !== undefined
  )
  const date = namedDate ?? dates[0]
  if (date === undefined)
    return {
      ok: false,
      reason: Language.text("No column holds dates, so I cannot draw over time.", "没有日期列，所以不能按时间画图。")
    }
  const notes =
    dates.length > 1 && namedDate === undefined
      ? ambiguityNotes({
          name: nameAt(table, date),
          others: dates.filter((i) => i !== date).map((i) => nameAt(table, i))
        })
      : []
  const step = findGranularity(right)
  const granularity = step === "time" ? undefined : step
  const subject = left.trim()
  if (measure === "count" || subject === "" || ROW_WORDS.test(subject)) {
    return withNotes(planOverTime(table, date, undefined, "count", granularity), notes)
  }
  const columnNotes: Array<string> = []
  const column = findSubjectColumn(table, subject, columnNotes)
  if (typeof column === "string") return { ok: false, reason: column }
  const subjectColumn = table.columns[column] ?? NO_COLUMN
  if (!isNumber(subjectColumn)) {
    const reason = Language.text(
      `${Markdown.bold(subjectColumn.name)} does not hold numbers to draw${notesOn(subjectColumn)}.`,
      `${Markdown.bold(subjectColumn.name)} 不是可以画图的数字${notesOn(subjectColumn)}。`
    )
    return { ok: false, reason }
  }
  const valueColumn = dropIdentifier(table, column, columnNotes)
  const valueMeasure = valueColumn === undefined ? "count" : measure
  return withNotes(planOverTime(table, date, valueColumn, valueMeasure, granularity), [...notes, ...columnNotes])
}

/** "orders by month" asks for a count, not for the sum of the order numbers. */
const dropIdentifier = (table: Table, index: number | undefined, notes: Array<string>): number | undefined => {
  const column = index === undefined ? undefined : table.columns[index]
  if (column === undefined || !isIdentifier(column)) return index
  notes.push(
    Language.text(
      `${Markdown.bold(column.name)} looks like an identifier, so I count its rows.`,
      `${Markdown.bold(column.name)} 像是编号，所以我统计它的行数。`
    )
  )
  return undefined
}

const findSubjectColumn = (table: Table, phrase: string, notes: Array<string>): number | string => {
  const superlative = /\b(largest|biggest|greatest|smallest)\b/i.exec(phrase)
  const match = findColumn(table, phrase)
  if (superlative !== null && (match === undefined || /\bcolumn|number|one\b/i.test(phrase))) {
    const isSmallest = /smallest/i.test(superlative[1] ?? "")
    const extreme = largestColumn(table, isSmallest)
    if (extreme === undefined) return noLargestColumn(table)
    const skipped = (names: ReadonlyArray<string>, english: string, chinese: string): string => {
      const list = Markdown.joinWords(names.map(Markdown.bold))
      return names.length === 0 ? "" : Language.text(`; ${list} ${english}`, `；${list} ${chinese}`)
    }
    const skippedText =
      skipped(extreme.identifiers, "looks like an identifier and does not count", "像是编号，不算在内") +
      skipped(
        extreme.mixed,
        `${extreme.mixed.length === 1 ? "is" : "are"} in several currencies or units and cannot be added up`,
        "含多种货币或单位，不能相加"
      )
    const [name, sum] = [Markdown.bold(nameAt(table, extreme.index)), Markdown.number(extreme.summary)]
    notes.push(
      Language.text(
        `I took ${name}: the numeric column with the ${isSmallest ? "smallest" : "largest"} sum (${sum})${skippedText}.`,
        `我用了 ${name}：总和最${isSmallest ? "小" : "大"}的数字列（${sum}）${skippedText}。`
      )
    )
    return extreme.index
  }
  if (match === undefined) return unknownColumn(table, phrase)
  notes.push(...ambiguityNotes(match))
  return match.index
}

const planOneColumn = (table: Table, index: number, wantsHistogram: boolean): PlannedChart => {
  const column = table.columns[index] ?? NO_COLUMN
  if (isIdentifier(column))
    return {
      ok: false,
      reason: Language.text(
        `${Markdown.bold(column.name)} looks like an identifier, so there is nothing to draw.`,
        `${Markdown.bold(column.name)} 像是编号，所以没有什么可画的。`
      )
    }
  if (isNumber(column)) return { ok: true, plan: { mark: "histogram", column: index }, notes: [] }
  if (isDate(column)) return planOverTime(table, index, undefined, "count", undefined)
  const notes = wantsHistogram
    ? [
        Language.text(
          `${Markdown.bold(column.name)} holds words, so I count how often each occurs.`,
          `${Markdown.bold(column.name)} 是文字，所以我统计每个值出现的次数。`
        )
      ]
    : []
  return column.kind === "empty"
    ? {
        ok: false,
        reason: Language.text(
          `${Markdown.bold(column.name)} has no values to draw.`,
          `${Markdown.bold(column.name)} 没有可以画图的值。`
        )
      }
    : withNotes(planByGroup(table, index, undefined, "count"), notes)
}

const planTwoColumns = (
  table: Table,
  first: number | undefined,
  second: number,
  measure: Measure | undefined,
  isComparison: boolean,
  wantsBars: boolean
): PlannedChart => {
  const secondColumn = table.columns[second] ?? NO_COLUMN
  const firstColumn = first === undefined ? undefined : table.columns[first]
  if (firstColumn !== undefined && first !== undefined && !isNumber(firstColumn)) {
    if (isNumber(secondColumn))
      return isDate(firstColumn)
        ? planOverTime(table, first, second, measure, undefined)
        : planByGroup(table, first, second, measure)
    if (isDate(firstColumn) && isLabel(secondColumn)) return planByGroup(table, second, undefined, "count")
    return {
      ok: false,
      reason: Language.text(
        `Neither ${Markdown.bold(firstColumn.name)} nor ${Markdown.bold(secondColumn.name)} holds numbers to draw${notesOn(firstColumn)}.`,
        `${Markdown.bold(firstColumn.name)} 和 ${Markdown.bold(secondColumn.name)} 都不是可以画图的数字${notesOn(firstColumn)}。`
      )
    }
  }
  if (isDate(secondColumn) && !wantsBars) return planOverTime(table, second, first, measure, undefined)
  if (
    first !== undefined &&
    isNumber(secondColumn) &&
    (isComparison || secondColumn.kind === "number" || countDistinct(secondColumn, allRows(table)) > 30)
  ) {
    return { ok: true, plan: { mark: "scatter", x: second, y: first }, notes: [] }
  }
  return planByGroup(table, second, first, measure)
}

const planLargestHistogram = (table: Table): PlannedChart => {
  const largest = largestColumn(table)
  return largest === undefined
    ? { ok: false, reason: noLargestColumn(table) }
    : { ok: true, plan: { mark: "histogram", column: largest.index }, notes: [] }
}

const nameAt = (table: Table, index: number): string => table.columns[index]?.name ?? ""

const withNotes = (plan: PlannedChart, notes: ReadonlyArray<string>): PlannedChart =>
  plan.ok ? { ...plan, notes: [...notes, ...plan.notes] } : plan
