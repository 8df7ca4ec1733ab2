import type { TopLevelSpec } from "vega-lite"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** A chart ready to be rendered. */
export interface Chart {
  readonly title: string
  /** The condition and the notes, shown below the title; "" for none. */
  readonly subtitle: string
  /** The English title as a file name without ending. */
  readonly slug: string
  readonly spec: TopLevelSpec
}

/** The parts of a Vega-Lite specification that differ between charts. */
export type ChartSpec = Pick<TopLevelSpec, "data"> & Readonly<Record<string, unknown>>

/** The colour of bars, lines and points. */
export const INK = "#4263eb"

/**
 * Merges a chart into the common frame. `titleOf` makes the title in the language of the turn; `condition` and `notes`
 * become the subtitle.
 */
export const makeChart = (
  titleOf: () => string,
  condition: string,
  notes: ReadonlyArray<string>,
  chartSpec: ChartSpec
): Chart => {
  const only = condition === "" ? [] : [Language.text(`only ${condition}`, `仅 ${condition}`)]
  const [title, subtitle] = [titleOf(), [...only, ...notes].join(Language.text("; ", "；"))]
  const spec = {
    ...FRAME,
    title: { text: plainText(title), ...(subtitle === "" ? {} : { subtitle: plainText(subtitle, 140) }) },
    ...chartSpec
  }
  // The parts are literals; Vega-Lite's own type cannot be inferred through the shared frame.
  return { title, subtitle, slug: slugOf(Language.run("english", titleOf)), spec: spec as TopLevelSpec }
}

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
