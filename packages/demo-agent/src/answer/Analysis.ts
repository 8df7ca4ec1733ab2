import type { Chart } from "../chart/Chart.ts"
import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Data } from "../data/DataFile.ts"
import { describeFilters, mergeFilters, type Filter } from "../data/Filter.ts"
import * as Language from "../format/Language.ts"
import type { Intent, Part, Subject } from "../question/Intent.ts"

/** A chart with its plan; the chart of a text has none. */
export interface PlannedChart {
  readonly chart: Chart
  readonly plan: ChartPlan | undefined
}

/** The result of a turn's analysis, before anything is sent or written. */
export interface Analysis {
  /** Messages in Markdown, in order. */
  readonly messages: ReadonlyArray<string>
  /** One or two sentences that sum up. */
  readonly summary: string
  /** The findings in a few sentences, for a reader who does not want the whole answer. */
  readonly findings: ReadonlyArray<string>
  readonly charts: ReadonlyArray<PlannedChart>
  /** Nothing that was asked for can be done; the messages say why. */
  readonly isRefused: boolean
}

/** The data as the request parser sees it. */
export const subjectOf = (data: Data): Subject =>
  data.kind === "table"
    ? { kind: data.kind, name: data.name, table: data.table, isFromJson: data.json !== undefined }
    : { kind: data.kind, name: data.name }

/** The conditions for the rows of each part, and those that stay for the next request. */
export interface Scopes {
  readonly ofParts: ReadonlyArray<ReadonlyArray<Filter>>
  readonly kept: ReadonlyArray<Filter>
  /** A sentence about each condition that was lifted or replaced. */
  readonly notes: ReadonlyArray<string>
}

/** Finds the conditions of each part from those of the session before it. */
export const scopesOf = (previous: ReadonlyArray<Filter>, parts: ReadonlyArray<Part>): Scopes => {
  let kept = previous
  const notes: Array<string> = []
  const ofParts = parts.map((part) => {
    if (part.reset && kept.length > 0) {
      const lifted = describeFilters(kept)
      notes.push(Language.text(`The filter “${lifted}” is lifted.`, `已取消筛选“${lifted}”。`))
    }
    if (part.reset) kept = []
    const { filters, replaced } = mergeFilters(kept, part.filters)
    if (replaced.length > 0) {
      const before = describeFilters(replaced)
      notes.push(Language.text(`This takes the place of the filter “${before}”.`, `它代替了筛选“${before}”。`))
    }
    if (part.keepsFilters) kept = filters
    return filters
  })
  return { ofParts, kept, notes }
}

/** "Now as a table" after charts means their figures. */
export const withLastCharts = (parts: ReadonlyArray<Part>, lastCharts: ReadonlyArray<ChartPlan>): ReadonlyArray<Part> =>
  parts.flatMap((part) => {
    if (part.intent.kind !== "table" || !part.intent.refersToCharts) return [part]
    const figures = lastCharts.flatMap((plan) => figuresOf(plan) ?? [])
    return figures.length === 0 ? [part] : figures.map((intent) => ({ ...part, intent }))
  })

/** The question whose answer has the figures of a chart; none for a scatter plot. */
export const figuresOf = (plan: ChartPlan): Intent | undefined => {
  if (plan.mark === "scatter") return undefined
  if (plan.mark === "histogram") return { kind: "describe", column: plan.column }
  const { by, column, measure, step } = plan
  return { kind: "measure", measure, column, by, step }
}
