import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { INK, makeChart, plainText, type Chart } from "./Chart.ts"

/** The texts around the bars of a chart. */
export interface BarLabels {
  readonly titleOf: () => string
  readonly valueAxisTitle: string
  readonly groupAxisTitle: string
  /** The groups come largest first, as the note about left-out ones says. */
  readonly isRanked: boolean
  readonly condition: string
  readonly notes: ReadonlyArray<string>
}

const MAX_BARS = 20

/** Draws one bar for each of the first 20 groups. */
export const barChart = (
  groups: ReadonlyArray<{ readonly label: string; readonly value: number }>,
  labels: BarLabels
): Chart => {
  const values = groups
    .slice(0, MAX_BARS)
    .map((group) => ({ label: plainText(group.label), value: group.value, valueText: formatCompact(group.value) }))
  const sort = values.map((entry) => entry.label)
  const y = { field: "label", type: "nominal", sort, title: labels.groupAxisTitle, axis: { labelLimit: 240 } }
  const bars = {
    mark: { type: "bar", color: INK, ...(values.length < 8 ? { size: 44 } : {}) },
    encoding: {
      y,
      x: { field: "value", type: "quantitative", title: labels.valueAxisTitle, axis: { format: "~s", tickCount: 8 } }
    }
  }
  const figures = {
    mark: { type: "text", align: "left", dx: 5, fontSize: 13, color: "#495057" },
    encoding: { y, x: { field: "value", type: "quantitative" }, text: { field: "valueText", type: "nominal" } }
  }
  const cutNote =
    groups.length > MAX_BARS
      ? [
          Language.text(
            `${labels.isRanked ? "the largest" : "the first"} ${MAX_BARS} of ${Markdown.integer(groups.length)}`,
            `${Markdown.integer(groups.length)} 组中${labels.isRanked ? "最大" : "最前"}的 ${MAX_BARS} 组`
          )
        ]
      : []
  // The figure of a bar to the left of zero would cover the bar.
  const layer = values.every((entry) => entry.value >= 0) ? [bars, figures] : [bars]
  return makeChart(labels.titleOf, labels.condition, [...cutNote, ...labels.notes], {
    data: { values },
    layer
  })
}

const formatCompact = (value: number): string =>
  Math.abs(value) >= 1e5
    ? value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 })
    : Markdown.number(value)
