import * as Language from "../format/Language.ts"
import type { Chart } from "../chart/Chart.ts"
import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { Data } from "../data/DataFile.ts"
import { describeFilters, mergeFilters, type Filter } from "../data/Filter.ts"
import { figuresOf } from "../question/Figures.ts"
import type { ParsedRequest } from "../question/Intent.ts"

/** The result of a turn's analysis, before anything is sent or written. */
export interface Analysis {
  /** Messages in Markdown, in order. */
  readonly messages: ReadonlyArray<string>
  /** One or two sentences that sum up. */
  readonly summary: string
  /** The findings in a few sentences, for a reader who does not want the whole answer. */
  readonly findings: ReadonlyArray<string>
  readonly chart?: Chart | undefined
  /** The plan of a chart that the request did not name. */
  readonly plan?: ChartPlan | undefined
  /** Why there is no chart although the request needs one. */
  readonly noChartReason?: string | undefined
  /** Nothing that was asked for can be done; the messages or the reason say why. */
  readonly isRefused?: boolean
}

/** The data as the request parser sees it. */
export const subjectOf = (data: Data) =>
  data.kind === "table"
    ? { kind: data.kind, table: data.table, isFromJson: data.json !== undefined }
    : ({ kind: data.kind, name: data.name } as const)

/** The filters after a request, with a sentence about lifted or replaced ones. */
export const nextFilters = (
  previous: ReadonlyArray<Filter>,
  request: ParsedRequest
): { readonly filters: ReadonlyArray<Filter>; readonly notes: ReadonlyArray<string> } => {
  const { filters, replaced } = mergeFilters(request.reset ? [] : previous, request.filters)
  if (request.reset && previous.length > 0)
    return {
      filters,
      notes: [
        Language.text(
          `The filter “${describeFilters(previous)}” is lifted.`,
          `已取消筛选“${describeFilters(previous)}”。`
        )
      ]
    }
  const notes =
    replaced.length === 0
      ? []
      : [
          Language.text(
            `This takes the place of the filter “${describeFilters(replaced)}”.`,
            `它代替了筛选“${describeFilters(replaced)}”。`
          )
        ]
  return { filters, notes }
}

/** "Now as a table" after a chart means the figures of that chart. */
export const withLastChart = (request: ParsedRequest, lastChart: ChartPlan | null): ParsedRequest => {
  const { intent } = request
  if (intent.kind !== "table" || !intent.refersToLastChart || lastChart === null) return request
  return { ...request, intent: figuresOf(lastChart) ?? intent }
}
