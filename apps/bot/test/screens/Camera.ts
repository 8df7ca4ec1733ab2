import { mkdir } from "node:fs/promises"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core"

/** The languages that pictures are taken in, as Discord and browsers name them. */
export const languages = ["en-US", "zh-CN"] as const
export type Language = (typeof languages)[number]

/** Where the pictures go; none are wanted without it. */
export const folder = process.env["HEDDLE_SCREENS"] ?? ""

/** Takes pictures in light and dark, each under its name, its language and its look. */
export interface Camera {
  readonly language: Language
  readonly context: BrowserContext
  readonly open: (url: string) => Promise<Page>
  /** What is on the screen; with `phone` also as it is on a phone. */
  readonly screen: (
    page: Page,
    name: string,
    how?: { readonly phone?: boolean; readonly high?: number }
  ) => Promise<void>
  /** The last message alone, or another part of the page. */
  readonly part: (page: Page, name: string, part?: Locator) => Promise<void>
}

const desk = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath:
      [process.env["HEDDLE_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
        (path) => path !== undefined && existsSync(path)
      ) ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
  })

export const makeCamera = async (browser: Browser, language: Language): Promise<Camera> => {
  await mkdir(folder, { recursive: true })
  const context = await browser.newContext({ viewport: desk, locale: language, reducedMotion: "reduce" })
  context.setDefaultTimeout(20_000)
  const path = (name: string, look: string) => join(folder, `${name}-${language.slice(0, 2)}-${look}.png`)
  const inBoth = async (page: Page, take: (look: string) => Promise<unknown>) => {
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await take(colorScheme)
    }
  }
  return {
    language,
    context,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
    screen: async (page, name, { high = desk.height, phone: alsoPhone = false } = {}) => {
      await page.setViewportSize({ ...desk, height: high })
      await inBoth(page, (look) => page.screenshot({ path: path(name, look) }))
      if (alsoPhone) {
        await page.setViewportSize(phone)
        await inBoth(page, (look) => page.screenshot({ path: path(name, `phone-${look}`) }))
      }
      await page.setViewportSize(desk)
    },
    part: async (page, name, part = page.locator(".message").last()) => {
      // Nothing of it may be cut off.
      await page.setViewportSize({ ...desk, height: 1800 })
      await part.scrollIntoViewIfNeeded()
      await inBoth(page, (look) => part.screenshot({ path: path(name, look) }))
      await page.setViewportSize(desk)
    }
  }
}
