import type { Chart } from "../chart/Chart.ts"
import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Data } from "../data/DataFile.ts"
import { describeFilters, mergeFilters, type Filter } from "../data/Filter.ts"
import type { Intent, ParsedRequest } from "../question/Intent.ts"

/** What one turn found out, before anything is said or written. */
export interface Analysis {
  /** Messages in Markdown, in the order in which they are said. */
  readonly messages: ReadonlyArray<string>
  /** One or two sentences that sum up. */
  readonly summary: string
  /** The findings in a few sentences, for a reader who does not want the whole answer. */
  readonly findings: ReadonlyArray<string>
  readonly chart?: Chart | undefined
  /** How the chart was made, where it was chosen here. */
  readonly plan?: ChartPlan | undefined
  /** Why there is no chart although one was due. */
  readonly noChart?: string | undefined
}

/** The data as what a request can be about. */
export const subjectOf = (data: Data) =>
  data.kind === "table"
    ? { kind: data.kind, table: data.table, json: data.json !== undefined }
    : ({ kind: data.kind } as const)

/** The filters that hold after a request, with a sentence about those that were replaced. */
export const nextFilters = (
  old: ReadonlyArray<Filter>,
  request: ParsedRequest
): { readonly filters: ReadonlyArray<Filter>; readonly notes: ReadonlyArray<string> } => {
  const { filters, replaced } = mergeFilters(request.reset ? [] : old, request.filters)
  if (request.reset && old.length > 0) return { filters, notes: [`The filter “${describeFilters(old)}” is lifted.`] }
  const notes = replaced.length === 0 ? [] : [`This takes the place of the filter “${describeFilters(replaced)}”.`]
  return { filters, notes }
}

/** "Now as a table" after a chart means the figures of that chart. */
export const withLastChart = (request: ParsedRequest, last: ChartPlan | null): ParsedRequest => {
  const { intent } = request
  if (intent.do !== "table" || !intent.again || last === null) return request
  return { ...request, intent: figuresOf(last) ?? intent }
}

/** The question that the figures of a chart answer; none for a cloud of points. */
export const figuresOf = (plan: ChartPlan): Intent | undefined => {
  if (plan.mark === "scatter") return undefined
  if (plan.mark === "histogram") return { do: "describe", column: plan.column }
  const { by, column, measure, step } = plan
  return { do: "measure", measure, column, by, step, largest: true }
}
