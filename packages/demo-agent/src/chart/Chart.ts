import type { TopLevelSpec } from "vega-lite"
import type { NumericColumn } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"

/** A chart ready to be rendered. */
export interface Chart {
  readonly title: string
  /** What was left out or bundled, shown under the title; "" when nothing was. */
  readonly subtitle: string
  /** The title as a file name without ending. */
  readonly slug: string
  readonly spec: TopLevelSpec
}

/** What a chart shows, in Vega-Lite's terms. */
export type Marks = Pick<TopLevelSpec, "data"> & Readonly<Record<string, unknown>>

/** The colour of bars, lines and points. */
export const INK = "#4263eb"

/** Puts the marks of a chart into the common frame; `filters` and `notes` become the subtitle. */
export const makeChart = (title: string, filters: string, notes: ReadonlyArray<string>, marks: Marks): Chart => {
  const subtitle = [...(filters === "" ? [] : [`only ${filters}`]), ...notes].join("; ")
  const spec = {
    ...FRAME,
    title: { text: plainText(title), ...(subtitle === "" ? {} : { subtitle: plainText(subtitle, 140) }) },
    ...marks
  }
  // The parts are literals; Vega-Lite's own type cannot be inferred through the shared frame.
  return { title, subtitle, slug: slugOf(title), spec: spec as TopLevelSpec }
}

/** The name of a column with its unit. */
export const axisTitle = (column: NumericColumn): string =>
  column.unit === undefined ? column.name : `${column.name} (${column.unit})`

/** Text without Markdown escapes and line breaks, cut to a number of characters. */
export const plainText = (text: string, limit = 60): string =>
  Markdown.truncate(
    text
      .replace(/\\([\\`*_~|<>[\]#-])/g, "$1")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
    limit
  )

/** A file name made of letters, digits and dashes. */
const slugOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "") || "chart"

const FRAME = {
  $schema: "https://vega.github.io/schema/vega-lite/v6.json",
  width: 1000,
  height: 600,
  autosize: { type: "fit", contains: "padding" },
  padding: 24,
  background: "#ffffff",
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
  }
}
