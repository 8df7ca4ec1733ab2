import { bin, nice, tickIncrement, ticks } from "d3-array"
import { quantile, sortedValues } from "../data/Statistics.ts"
import type { NumericColumn, Rows } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { axisTitle, INK, makeChart, type Chart } from "./Chart.ts"
import { visibleRange } from "./VisibleRange.ts"

/** Draws the distribution of a column; `undefined` when it has no values. */
export const histogramChart = (column: NumericColumn, rows: Rows, filterText: string): Chart | undefined => {
  const sorted = sortedValues(column, rows)
  if (sorted.length === 0) return undefined
  const bins = binsOf(sorted, column.kind === "integer")
  const hiddenCount = sorted.length - bins.reduce((sum, { rows }) => sum + rows, 0)
  const missing = rows.length - sorted.length
  const median = Markdown.number(quantile(sorted, 0.5), column.unit)
  const [values, hidden] = [Markdown.plural(sorted.length, "value"), Markdown.plural(hiddenCount, "extreme value")]
  const notes = [
    Language.text(`${values}, median ${median}`, `${Markdown.integer(sorted.length)} 个值，中位数 ${median}`),
    ...(hiddenCount > 0
      ? [Language.text(`${hidden} outside the picture`, `图外有 ${Markdown.integer(hiddenCount)} 个极端值`)]
      : []),
    ...(missing > 0
      ? [Language.text(`${Markdown.integer(missing)} missing`, `缺失 ${Markdown.integer(missing)} 个`)]
      : [])
  ]
  return makeChart(() => Language.text(`Distribution of ${column.name}`, `${column.name} 的分布`), filterText, notes, {
    data: { values: bins },
    mark: { type: "bar", color: INK, binSpacing: 1 },
    encoding: {
      x: {
        field: "from",
        type: "quantitative",
        bin: { binned: true },
        title: axisTitle(column),
        axis: { tickCount: 12, format: "~s" },
        scale: { zero: false, nice: false }
      },
      x2: { field: "until" },
      y: { field: "rows", type: "quantitative", title: Language.text("Rows", "行数") }
    }
  })
}

interface Bin {
  readonly from: number
  readonly until: number
  readonly rows: number
}

/** Bins with round edges, about as many as the square root of the values, 10 to 40; whole edges for whole numbers. */
const binsOf = (sorted: Array<number>, isInteger: boolean): ReadonlyArray<Bin> => {
  const [low, high] = visibleRange(sorted)
  const visible = sorted.filter((value) => value >= low && value <= high)
  if (low === high) return [{ from: low - 0.5, until: low + 0.5, rows: visible.length }]
  const preferredCount = Math.max(10, Math.min(40, Math.round(Math.sqrt(sorted.length))))
  const count = isInteger ? Math.min(preferredCount, high - low) : preferredCount
  // d3 puts the highest value into the last bin only when the domain ends above it.
  const [start, end] = nice(low, high + tickIncrement(low, high, count) / 1000, count)
  return bin()
    .domain([start, end])
    .thresholds(ticks(start, end, count))(visible)
    .map((values) => ({ from: values.x0 ?? start, until: values.x1 ?? end, rows: values.length }))
}
