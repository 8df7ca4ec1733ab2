import type { Measure, DateGranularity } from "../data/Aggregation.ts"

/** The measure named in a request, if any. */
export const measureIn = (text: string): Measure | undefined => MEASURES.find(([pattern]) => pattern.test(text))?.[1]

const MEASURES: ReadonlyArray<readonly [pattern: RegExp, measure: Measure]> = [
  [/\b(average|mean|avg)\b/i, "mean"],
  [/\bmedian\b/i, "median"],
  [/\b(minimum|min|lowest)\b/i, "min"],
  [/\b(maximum|max|highest)\b/i, "max"],
  [/\b(sum|total)\b/i, "sum"],
  [/\b(count|counts|number of|how many)\b/i, "count"]
]

/** The step of time named in a phrase, "time" when only the axis is named. */
export const granularityIn = (text: string): DateGranularity | "time" | undefined =>
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

/**
 * The measure that makes sense for a column unless another is asked for: prices and rates are averaged, amounts added.
 */
export const usualMeasure = (name: string): Measure =>
  /price|rate|score|temp|age\b|percent|pct|ratio|avg|average|mean|rating|height|weight|speed|humidity|level|grade|%/i.test(
    name
  )
    ? "mean"
    : "sum"
