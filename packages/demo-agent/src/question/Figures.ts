import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Measure, DateGranularity } from "../data/Aggregation.ts"
import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"
import type { Intent } from "./Intent.ts"

/** Finds the measure that a request names. */
export const findMeasure = (text: string): Measure | undefined => MEASURES.find(([pattern]) => pattern.test(text))?.[1]

const MEASURES: ReadonlyArray<readonly [pattern: RegExp, measure: Measure]> = [
  [/\b(average|mean|avg)\b/i, "mean"],
  [/\bmedian\b/i, "median"],
  [/\b(minimum|min|lowest)\b/i, "min"],
  [/\b(maximum|max|highest)\b/i, "max"],
  [/\b(sum|total)\b/i, "sum"],
  [/\b(count|counts|number of|how many)\b/i, "count"]
]

/** Finds the time step that a phrase names; "time" when it names only the axis. */
export const findGranularity = (text: string): DateGranularity | "time" | undefined =>
  STEPS.find(([pattern]) => pattern.test(text))?.[1]

const STEPS: ReadonlyArray<readonly [pattern: RegExp, step: DateGranularity | "time"]> = [
  [/\b(?:weekday|day of (?:the )?week)s?\b/i, "weekday"],
  [/\b(?:days?|daily)\b/i, "day"],
  [/\b(?:weeks?|weekly)\b/i, "week"],
  [/\b(?:months?|monthly)\b/i, "month"],
  [/\b(?:quarters?|quarterly)\b/i, "quarter"],
  [/\b(?:years?|yearly|annually)\b/i, "year"],
  [/\b(?:times?|dates?)\b/i, "time"]
]

/** The measure of a column when the request names none: prices and rates are averaged, amounts added up. */
export const defaultMeasure = (name: string): Measure =>
  /price|rate|score|temp|age\b|percent|pct|ratio|avg|average|mean|rating|height|weight|speed|humidity|level|grade|%|单价|价格|均价|售价|[率价]$|评分|得分|分数|温度|湿度|年龄|身高|体重|百分比|比例|速度/i.test(
    name
  )
    ? "mean"
    : "sum"

/** Says which measure was taken where the request names none. */
export const measureNote = (measure: Measure, name: string): string => {
  const [shown, typed] = [Markdown.bold(name), Markdown.escapeText(name)]
  return measure === "mean"
    ? Language.text(
        `${shown} is averaged; say “total ${typed}” for sums.`,
        `${shown} 取平均；要求和请说“总 ${typed}”。`
      )
    : Language.text(
        `${shown} is added up; say “average ${typed}” for averages.`,
        `${shown} 求和；要平均请说“平均 ${typed}”。`
      )
}

/** The question whose answer has the figures of a chart; none for a scatter plot. */
export const figuresOf = (plan: ChartPlan): Intent | undefined => {
  if (plan.mark === "scatter") return undefined
  if (plan.mark === "histogram") return { kind: "describe", column: plan.column }
  const { by, column, measure, step } = plan
  return { kind: "measure", measure, column, by, step, largest: true }
}

/** The measure that a phrase such as "average total" names, and the words that name its column. */
export interface NamedFigure {
  readonly measure: Measure | undefined
  readonly column: string
}

/** Reads a phrase that ends with a column named like a measure; `undefined` for other phrases. */
export const readFigure = (table: Table, phrase: string): NamedFigure | undefined => {
  const words = wordsOf(phrase)
  const names = table.columns.map(({ name }) => ({ name, words: wordsOf(name) }))
  const [named] = names
    .filter((each) => MEASURE_WORD.test(each.words.join(" ")) && endsWith(words, each.words))
    .sort((a, b) => b.words.length - a.words.length)
  if (named === undefined) return undefined
  const column = named.words.join(" ")
  const ownMeasure = findMeasure(column)
  const measure = findMeasure(words.slice(0, words.length - named.words.length).join(" "))
  return { column: named.name, measure: measure ?? (ownMeasure === "count" ? undefined : ownMeasure) }
}

const endsWith = (words: ReadonlyArray<string>, end: ReadonlyArray<string>): boolean =>
  end.length > 0 && words.slice(-end.length).join(" ") === end.join(" ")

/** Matches words that name a measure and not its column. */
export const MEASURE_WORDS =
  /\b(?:average|mean|avg|sum|total|median|minimum|min|lowest|maximum|max|highest|number|counts?)\b/gi
const MEASURE_WORD = new RegExp(MEASURE_WORDS.source, "i")
