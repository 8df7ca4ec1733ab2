import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as Axe from "axe-core"
import type { Page } from "playwright-core"

/** Where to leave pictures of the page, for people; none by default. */
const pictures = process.env["HEDDLE_PICTURES"]

/** What axe finds on a page that hinders people seriously. */
export const accessibilityViolations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // The page's policy refuses script from outside of it; this one comes through the debugger.
  await page.evaluate(Axe.source)
  const { violations } = await page.evaluate<Axe.AxeResults>(`axe.run(document, { resultTypes: ["violations"] })`)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

const views = [
  ["light", desk],
  ["dark", phone],
  ["light", phone],
  ["dark", desk]
] as const
let nextView = 0

/**
 * Looks at a page: what hinders people, and pictures where they are wanted. Pictures are made in light and dark, wide
 * and narrow; without them one look takes one of the four, and the next look the next.
 */
export const checkAccessibility = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const turn = nextView++ % views.length
  for (const [colorScheme, size] of pictures === undefined ? views.slice(turn, turn + 1) : views) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.setViewportSize(size)
    const where = `${name} ${colorScheme} ${size.width}`
    found.push(...(await accessibilityViolations(page)).map((barrier) => `${where}: ${barrier}`))
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (over > 0) found.push(`${where}: ${over} pixels stick out`)
    if (pictures !== undefined) {
      await mkdir(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${where.replaceAll(" ", "-")}.png`) })
    }
  }
  await page.setViewportSize(desk)
  return found
}
