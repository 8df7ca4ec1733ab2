import { fileURLToPath } from "node:url"
import type { Chart } from "./Chart.ts"

/** A chart as a picture. */
export interface ChartImage {
  readonly png: Uint8Array
  readonly width: number
  readonly height: number
}

/**
 * Renders a chart to PNG with fonts that come with the program; yields between the steps and stops when the signal
 * aborts.
 */
export const renderChart = async (chart: Chart, signal: AbortSignal): Promise<ChartImage> => {
  const { compile, vega, resvg } = await loadLibraries()
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  await pause()
  // The specification is data built here: Vega must not look up anything from outside.
  const loader = vega.loader()
  loader.load = () => Promise.reject(new Error("charts load nothing"))
  const quiet = { level: () => quiet, error: () => quiet, warn: () => quiet, info: () => quiet, debug: () => quiet }
  const { spec } = compile(chart.spec, { logger: quiet })
  await pause()
  const view = new vega.View(vega.parse(spec), { renderer: "none", loader, logger: quiet })
  const svg = await view.toSVG()
  view.finalize()
  await pause()
  const image = await resvg.renderAsync(svg, {
    font: {
      loadSystemFonts: false,
      fontFiles: fonts,
      defaultFontFamily: "DejaVu Sans",
      sansSerifFamily: "DejaVu Sans"
    },
    background: "#ffffff"
  })
  signal.throwIfAborted()
  return { png: image.asPng(), width: image.width, height: image.height }
}

/** Loads the chart libraries ahead of their first use, which would be slow otherwise. */
export const warmUp = (): void => {
  // A failure here shows again, with its reason, when the first chart is drawn.
  loadLibraries().catch(() => undefined)
}

const fonts = [
  fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf")),
  fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf")),
  // Stands in for the Chinese characters, which the others do not have.
  fileURLToPath(import.meta.resolve("@expo-google-fonts/zcool-xiaowei/400Regular/ZCOOLXiaoWei_400Regular.ttf"))
]

let librariesPromise: ReturnType<typeof importLibraries> | undefined
const loadLibraries = (): ReturnType<typeof importLibraries> => (librariesPromise ??= importLibraries())

const importLibraries = async () => {
  const vega = await import("vega")
  const { compile } = await import("vega-lite")
  const { renderAsync } = await import("@resvg/resvg-js")
  return { vega, compile, resvg: { renderAsync } }
}
