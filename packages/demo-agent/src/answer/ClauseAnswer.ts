import type { Chart } from "../chart/Chart.ts"

/** The messages and charts of one clause. */
export interface ClauseAnswer {
  /** Messages in Markdown, in order. */
  readonly messages: ReadonlyArray<string>
  /** The findings in a few sentences, for a reader who does not want the whole answer. */
  readonly findings: ReadonlyArray<string>
  readonly charts?: ReadonlyArray<Chart>
}
