import * as Axe from "axe-core"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"

const executablePath = [
  process.env["HEDDLE_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
].find((path) => path !== undefined && existsSync(path))

/** Whether browser tests are skipped: there is no Chromium, and `HEDDLE_REQUIRE_BROWSER=1` does not demand one. */
export const missing = executablePath === undefined && process.env["HEDDLE_REQUIRE_BROWSER"] !== "1"
if (missing) console.warn("Browser tests are skipped: no Chromium was found; set HEDDLE_CHROMIUM to one.")

/** Where tests leave pictures of pages for people; without it they take none. */
export const pictures = process.env["HEDDLE_PICTURES"]

/** Starts a browser that makes no requests of its own. */
export const launch = () =>
  chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-quic"
    ]
  })

interface Size {
  readonly width: number
  readonly height: number
}

/** What a person may have: light or dark, a wide or a narrow screen. */
export type View = readonly [colorScheme: "light" | "dark", size: Size]

/** Every look on both screens; the first two show each look and each screen. */
export const views = (desk: Size, phone: Size): ReadonlyArray<View> => [
  ["light", desk],
  ["dark", phone],
  ["light", phone],
  ["dark", desk]
]

/** Says what hinders people on a page in these views, and takes a picture of each where pictures are wanted. */
export const look = async (page: Page, name: string, views: ReadonlyArray<View>): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const before = page.viewportSize()
  // A page's policy may refuse script from outside of it; this one comes through the debugger.
  await page.evaluate(Axe.source)
  for (const [colorScheme, size] of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.setViewportSize(size)
    const where = `${name}-${colorScheme}-${size.width}`
    found.push(...(await violations(page)).map((violation) => `${where}: ${violation}`))
    const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
    if (over > 0) found.push(`${where}: ${over} pixels wider than the screen`)
    if (pictures === undefined) continue
    await mkdir(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${where}.png`), fullPage: true })
  }
  if (before !== null) await page.setViewportSize(before)
  return found
}

/** The serious violations that axe, which is there already, finds on a page. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  const { violations } = await page.evaluate<Axe.AxeResults>(`axe.run(document, { resultTypes: ["violations"] })`)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}
