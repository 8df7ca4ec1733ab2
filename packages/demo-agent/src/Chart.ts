import type { TopLevelSpec } from "vega-lite"
import type { ChartPlan } from "./ChartPlan.ts"
import { groupedBy, groupRows, inOrder, measureWord, type Group, type Measure } from "./Groups.ts"
import type { Prose } from "./Prose.ts"
import * as Markdown from "./Markdown.ts"
import { presentValues, quantile, summariseNumbers } from "./Statistics.ts"
import { isLabel, isNumber, type Column, type NumericColumn, type Rows, type Table } from "./Table.ts"

/** A chart ready to be rendered. */
export interface Chart {
  readonly title: string
  /** What was left out or bundled, shown under the title; "" when nothing was. */
  readonly subtitle: string
  /** The title as a file name without ending. */
  readonly slug: string
  readonly spec: TopLevelSpec
}

const INK = "#4263eb"
const SCATTER_POINTS = 2000
const BARS = 20

/** Draws rows of a table by a plan; `undefined` when no row has the values it needs. */
export const tableChart = (table: Table, rows: Rows, plan: ChartPlan, filters: string): Chart | undefined => {
  const column = (index: number | undefined): Column | undefined =>
    index === undefined ? undefined : table.columns[index]
  if (plan.mark === "histogram") {
    const measured = column(plan.column)
    return measured === undefined || isLabel(measured) ? undefined : histogram(measured, rows, filters)
  }
  if (plan.mark === "scatter") {
    const x = column(plan.x)
    const y = column(plan.y)
    return x === undefined || y === undefined || isLabel(x) || isLabel(y) ? undefined : scatter(x, y, rows, filters)
  }
  const by = column(plan.by)
  const measured = column(plan.column)
  if (by === undefined) return undefined
  const { groups, left } = groupRows(
    rows,
    by,
    plan.step,
    measured !== undefined && isNumber(measured) ? measured : undefined,
    plan.measure
  )
  if (groups.length === 0) return undefined
  const axis = measureTitle(plan.measure, measured)
  const over = groupedBy(by, plan.step)
  const title = `${axis} by ${over}`
  const missing = left > 0 ? [`${Markdown.plural(left, "row")} without ${by.name} left out`] : []
  const far =
    plan.measure === "mean" && measured !== undefined && isNumber(measured)
      ? summariseNumbers(measured, rows).outliers.count
      : 0
  if (far > 0) missing.push(`${Markdown.plural(far, "outlier")} included`)
  return plan.mark === "line"
    ? line(title, axis, by, plan.step, inOrder(by, groups), note(filters, missing))
    : bars(title, axis, by.kind === "date" ? upper(over) : by.name, inOrder(by, groups), isLabel(by), filters, missing)
}

/** Draws the sections of a text by length, or its most frequent words; `undefined` when there are neither. */
export const proseChart = (prose: Prose, wordsWanted: boolean): Chart | undefined => {
  const sections = prose.headings.filter((heading) => heading.words > 0)
  if (!wordsWanted && sections.length >= 2) {
    const groups = sections.map((heading, key) => ({ label: heading.text, key, rows: 1, value: heading.words }))
    const numbered = unique(groups)
    return bars("Words by section", "Words", "Section", numbered, false, "", [])
  }
  if (prose.frequent.length < 2) return undefined
  const groups = prose.frequent.map(([label, value], key) => ({ label, key, rows: value, value }))
  return bars("Most frequent words", "Times", "Word", groups, true, "", [])
}

/** A file name made of letters, digits and dashes. */
export const slugOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "") || "chart"

const histogram = (column: NumericColumn, rows: Rows, filters: string): Chart | undefined => {
  const sorted = presentValues(column, rows).sort()
  if (sorted.length === 0) return undefined
  const [low, high] = frameOf(sorted)
  const bins = binsOf(low, high, sorted.length, column.kind === "integer")
  const counts = Array.from({ length: bins.count }, () => 0)
  let outside = 0
  for (const value of sorted) {
    if (value < low || value > high) outside++
    else {
      const at = Math.min(bins.count - 1, Math.floor((value - bins.start) / bins.width + 1e-9))
      counts[at] = (counts[at] ?? 0) + 1
    }
  }
  const values = counts.map((rows, i) => ({
    from: bins.start + i * bins.width,
    until: bins.start + (i + 1) * bins.width,
    rows
  }))
  const missing = rows.length - sorted.length
  const notes = [
    `${Markdown.plural(sorted.length, "value")}, median ${Markdown.number(quantile(sorted, 0.5), column.unit)}`
  ]
  if (outside > 0) notes.push(`${Markdown.plural(outside, "extreme value")} outside the picture`)
  if (missing > 0) notes.push(`${Markdown.whole(missing)} missing`)
  const title = `Distribution of ${column.name}`
  return chart(title, note(filters, notes), {
    data: { values },
    mark: { type: "bar", color: INK, binSpacing: 1 },
    encoding: {
      x: {
        field: "from",
        type: "quantitative",
        bin: { binned: true },
        title: withUnit(column),
        axis: { tickCount: 12, format: "~s" },
        scale: { zero: false, nice: false }
      },
      x2: { field: "until" },
      y: { field: "rows", type: "quantitative", title: "Rows" }
    }
  })
}

/** The part of the axis worth showing: one value far away would press everything else into a corner. */
const frameOf = (sorted: Float64Array): readonly [low: number, high: number] => {
  const min = sorted[0] ?? 0
  const max = sorted[sorted.length - 1] ?? 0
  const q1 = quantile(sorted, 0.25)
  const q3 = quantile(sorted, 0.75)
  const reach = 6 * (q3 - q1)
  if (reach === 0) return [min, max]
  const near = sorted.filter((value) => value >= q1 - reach && value <= q3 + reach)
  return [near[0] ?? min, near[near.length - 1] ?? max]
}

/** Round bin edges, about as many bins as the square root of the values, 10 to 40. */
const binsOf = (
  low: number,
  high: number,
  n: number,
  integer: boolean
): { start: number; width: number; count: number } => {
  const wanted = Math.max(10, Math.min(40, Math.round(Math.sqrt(n))))
  const span = high - low
  if (!(span > 0)) return { start: low - 0.5, width: 1, count: 1 }
  const raw = span / wanted
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10
  const width = integer ? Math.max(1, Math.round(step * power)) : step * power
  const start = Math.floor(low / width) * width
  return { start, width, count: Math.floor((high - start) / width + 1e-9) + 1 }
}

const bars = (
  title: string,
  axis: string,
  category: string,
  groups: ReadonlyArray<Group>,
  largestFirst: boolean,
  filters: string,
  notes: ReadonlyArray<string>
): Chart => {
  const shown = groups.slice(0, BARS)
  const more =
    groups.length > BARS
      ? [`${largestFirst ? "the largest" : "the first"} ${BARS} of ${Markdown.whole(groups.length)}`]
      : []
  const values = shown.map((group) => ({ label: plain(group.label), value: group.value, shown: compact(group.value) }))
  const order = values.map((entry) => entry.label)
  const y = { field: "label", type: "nominal" as const, sort: order, title: category, axis: { labelLimit: 240 } }
  const positive = values.every((entry) => entry.value >= 0)
  const spec = {
    data: { values },
    layer: [
      {
        mark: { type: "bar" as const, color: INK, ...(values.length < 8 ? { size: 44 } : {}) },
        encoding: {
          y,
          x: { field: "value", type: "quantitative" as const, title: axis, axis: { format: "~s", tickCount: 8 } }
        }
      },
      ...(positive
        ? [
            {
              mark: { type: "text" as const, align: "left" as const, dx: 5, fontSize: 13, color: "#495057" },
              encoding: {
                y,
                x: { field: "value", type: "quantitative" as const },
                text: { field: "shown", type: "nominal" as const }
              }
            }
          ]
        : [])
    ]
  }
  return chart(title, note(filters, [...more, ...notes]), spec)
}

const line = (
  title: string,
  axis: string,
  by: Column,
  step: string,
  groups: ReadonlyArray<Group>,
  subtitle: string
): Chart => {
  const values = groups.map((group) => ({ at: group.key, value: group.value }))
  const few = values.length <= 60
  const format = step === "year" ? "%Y" : step === "month" || step === "quarter" ? "%b %Y" : "%d %b %Y"
  return chart(title, subtitle, {
    data: { values },
    mark: { type: "line", color: INK, strokeWidth: 2.5, point: few ? { color: INK, size: 50 } : false },
    encoding: {
      x:
        by.kind === "date"
          ? {
              field: "at",
              type: "temporal",
              title: by.name,
              scale: { type: "utc" },
              axis: { format, tickCount: Math.min(12, Math.max(2, values.length)), labelOverlap: true }
            }
          : { field: "at", type: "quantitative", title: by.name },
      y: {
        field: "value",
        type: "quantitative",
        title: axis,
        scale: { zero: zeroBased(values) },
        axis: { format: "~s" }
      }
    }
  })
}

/** A line may leave zero out when its values are all far from it; otherwise small changes vanish. */
const zeroBased = (values: ReadonlyArray<{ readonly value: number }>): boolean => {
  const numbers = values.map((entry) => entry.value)
  const min = Math.min(...numbers)
  const max = Math.max(...numbers)
  return !(min > 0 && max - min < max * 0.5)
}

const scatter = (x: NumericColumn, y: NumericColumn, rows: Rows, filters: string): Chart | undefined => {
  const present = [...rows].filter((row) => Number.isFinite(x.values[row]) && Number.isFinite(y.values[row]))
  if (present.length === 0) return undefined
  const inFrame = (column: NumericColumn): ((row: number) => boolean) => {
    const [low, high] = frameOf(Float64Array.from(present, (row) => column.values[row] ?? 0).sort())
    return (row) => (column.values[row] ?? 0) >= low && (column.values[row] ?? 0) <= high
  }
  const inX = inFrame(x)
  const inY = inFrame(y)
  const both = present.filter((row) => inX(row) && inY(row))
  const outside = present.length - both.length
  const every = both.length / Math.min(both.length, SCATTER_POINTS)
  const values = Array.from({ length: Math.min(both.length, SCATTER_POINTS) }, (_, i) => {
    const row = both[Math.floor(i * every)] ?? 0
    return { x: x.values[row] ?? 0, y: y.values[row] ?? 0 }
  })
  const notes =
    both.length > SCATTER_POINTS
      ? [`${Markdown.whole(SCATTER_POINTS)} of ${Markdown.plural(both.length, "point")}, evenly picked`]
      : [Markdown.plural(both.length, "point")]
  if (outside > 0) notes.push(`${Markdown.plural(outside, "extreme point")} outside the picture`)
  return chart(`${y.name} against ${x.name}`, note(filters, notes), {
    data: { values },
    mark: { type: "point", filled: true, color: INK, opacity: 0.45, size: 30 },
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        title: withUnit(x),
        scale: { zero: false },
        axis: { format: "~s", tickCount: 10 }
      },
      y: {
        field: "y",
        type: "quantitative",
        title: withUnit(y),
        scale: { zero: false },
        axis: { format: "~s", tickCount: 10 }
      }
    }
  })
}

type Body = Pick<TopLevelSpec, "data"> & Readonly<Record<string, unknown>>

const chart = (title: string, subtitle: string, body: Body): Chart => {
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: 1000,
    height: 600,
    autosize: { type: "fit", contains: "padding" },
    padding: 24,
    background: "#ffffff",
    title: { text: plain(title), ...(subtitle === "" ? {} : { subtitle: plain(subtitle, 140) }) },
    config: {
      font: "DejaVu Sans",
      title: {
        anchor: "start",
        fontSize: 22,
        subtitleFontSize: 14,
        subtitleColor: "#495057",
        offset: 18,
        color: "#212529",
        subtitlePadding: 6
      },
      axis: {
        labelFontSize: 13,
        titleFontSize: 15,
        titlePadding: 12,
        gridColor: "#e9ecef",
        domainColor: "#adb5bd",
        tickColor: "#adb5bd",
        labelColor: "#343a40",
        titleColor: "#343a40",
        titleFontWeight: "normal"
      },
      view: { stroke: null }
    },
    ...body
  }
  // The parts are built above from literals; Vega-Lite's own type cannot be inferred through the shared frame.
  return { title, subtitle, slug: slugOf(title), spec: spec as TopLevelSpec }
}

const note = (filters: string, notes: ReadonlyArray<string>): string =>
  [...(filters === "" ? [] : [`only ${filters}`]), ...notes].join("; ")

const plain = (text: string, cap = 60): string => {
  const characters = [
    ...text
      .replace(/\\([\\`*_~|<>[\]#-])/g, "$1")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim()
  ]
  return characters.length > cap ? `${characters.slice(0, cap - 1).join("")}…` : characters.join("")
}

const measureTitle = (measure: Measure, column: Column | undefined): string =>
  column === undefined || measure === "count"
    ? "Number of rows"
    : `${upper(measureWord[measure])} ${isNumber(column) ? withUnit(column) : column.name}`

const withUnit = (column: NumericColumn): string =>
  column.unit === undefined ? column.name : `${column.name} (${column.unit})`

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const compact = (value: number): string =>
  Math.abs(value) >= 1e5
    ? value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 })
    : Markdown.number(value)

const unique = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const seen = new Map<string, number>()
  return groups.map((group) => {
    const times = (seen.get(group.label) ?? 0) + 1
    seen.set(group.label, times)
    return times === 1 ? group : { ...group, label: `${group.label} (${times})` }
  })
}
