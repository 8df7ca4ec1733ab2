import { quantile } from "../data/Statistics.ts"

/** The range of ascending values worth showing: one value far away would press all others into a corner. */
export const visibleRange = (sorted: Array<number>): readonly [low: number, high: number] => {
  const min = sorted[0] ?? 0
  const max = sorted[sorted.length - 1] ?? 0
  const q1 = quantile(sorted, 0.25)
  const q3 = quantile(sorted, 0.75)
  const margin = 6 * (q3 - q1)
  if (margin === 0) return [min, max]
  const visible = sorted.filter((value) => value >= q1 - margin && value <= q3 + margin)
  return [visible[0] ?? min, visible[visible.length - 1] ?? max]
}
