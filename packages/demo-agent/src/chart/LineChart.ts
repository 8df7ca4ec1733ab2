import { extent } from "d3-array"
import type { DateStep } from "../data/Groups.ts"
import type { Column } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import { INK, makeChart, type Chart } from "./Chart.ts"

/** The texts around the line of a chart. */
export interface LineLabels {
  readonly titleOf: () => string
  readonly valueAxisTitle: string
  readonly condition: string
  readonly notes: ReadonlyArray<string>
}

/** Draws a line through the figures of groups in their order. */
export const lineChart = (
  groups: ReadonlyArray<{ readonly key: number; readonly value: number }>,
  by: Column,
  step: DateStep | undefined,
  labels: LineLabels
): Chart => {
  const values = groups.map((group) => ({ at: group.key, value: group.value }))
  const showsPoints = values.length <= 60
  const [month, day] = [Language.text("%b %Y", "%Y-%m"), Language.text("%d %b %Y", "%Y-%m-%d")]
  const format =
    step === "year" ? "%Y" : step === "month" || (by.kind === "date" && by.precision === "month") ? month : day
  const timeAxis = {
    field: "at",
    type: "temporal",
    title: by.name,
    scale: { type: "utc" },
    axis: { format, tickCount: Math.min(12, Math.max(2, values.length)), labelOverlap: true }
  }
  return makeChart(labels.titleOf, labels.condition, labels.notes, {
    data: { values },
    mark: { type: "line", color: INK, strokeWidth: 2.5, point: showsPoints ? { color: INK, size: 50 } : false },
    encoding: {
      x: by.kind === "date" ? timeAxis : { field: "at", type: "quantitative", title: by.name },
      y: {
        field: "value",
        type: "quantitative",
        title: labels.valueAxisTitle,
        scale: { zero: startsAtZero(values.map(({ value }) => value)) },
        axis: { format: "~s" }
      }
    }
  })
}

/** An axis far from zero leaves zero out, because small changes would vanish. */
const startsAtZero = (values: ReadonlyArray<number>): boolean => {
  const [min = 0, max = 0] = extent(values)
  return !(min > 0 && max - min < max * 0.5)
}
