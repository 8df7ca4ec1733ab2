import { sort } from "d3-array"
import { isIdentifier, type NumericColumn, type Rows } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { axisTitle, INK, makeChart, type Chart } from "./Chart.ts"
import { visibleRange } from "./VisibleRange.ts"

const MAX_POINTS = 2000

/** Draws one column against another, a point for each row; `undefined` when no row has both values. */
export const scatterChart = (x: NumericColumn, y: NumericColumn, rows: Rows, filterText: string): Chart | undefined => {
  const points = [...rows]
    .map((row) => ({ x: x.values[row] ?? Number.NaN, y: y.values[row] ?? Number.NaN }))
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
  if (points.length === 0) return undefined
  const [left, right] = visibleRange(sort(points.map((point) => point.x)))
  const [bottom, top] = visibleRange(sort(points.map((point) => point.y)))
  const visible = points.filter(({ x, y }) => x >= left && x <= right && y >= bottom && y <= top)
  const pointCount = Math.min(visible.length, MAX_POINTS)
  const values = Array.from({ length: pointCount }, (_, i) => ({
    ...visible[Math.floor((i * visible.length) / pointCount)]
  }))
  const hiddenCount = points.length - visible.length
  const [shown, all] = [Markdown.integer(MAX_POINTS), Markdown.integer(visible.length)]
  const hidden = Markdown.plural(hiddenCount, "extreme point")
  const notes = [
    visible.length > MAX_POINTS
      ? Language.text(`${shown} of ${all} points, evenly picked`, `均匀选取 ${all} 个点中的 ${shown} 个`)
      : Language.text(Markdown.plural(visible.length, "point"), `${all} 个点`),
    ...(hiddenCount > 0
      ? [Language.text(`${hidden} outside the picture`, `图外有 ${Markdown.integer(hiddenCount)} 个极端点`)]
      : [])
  ]
  const axis = (field: "x" | "y", column: NumericColumn) => ({
    field,
    type: "quantitative",
    title: axisTitle(column),
    scale: { zero: false },
    axis: { format: isIdentifier(column) ? "d" : "~s", tickCount: 10 }
  })
  return makeChart(() => Language.text(`${y.name} against ${x.name}`, `${y.name} 与 ${x.name}`), filterText, notes, {
    data: { values },
    mark: { type: "point", filled: true, color: INK, opacity: 0.45, size: 30 },
    encoding: { x: axis("x", x), y: axis("y", y) }
  })
}
