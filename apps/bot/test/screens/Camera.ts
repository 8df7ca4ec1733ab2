import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import type { Emulator } from "@heddle/discord-emulator"
import { launch } from "@heddle/test-support/Chromium"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"

/** The languages that pictures are taken in, as Discord and browsers name them. */
const languages = ["en-US", "zh-CN"] as const
type Language = (typeof languages)[number]

/** Where the pictures go; none are wanted without it. */
export const folder = process.env["HEDDLE_SCREENS"] ?? ""

/** Takes pictures in light and dark, each under its name, its language and its look. */
export interface Camera {
  readonly language: Language
  /** Which of two texts is in the language. */
  readonly say: (english: string, chinese: string) => string
  /** Whether the list of pictures has this one. */
  readonly lists: (name: string) => boolean
  readonly context: BrowserContext
  readonly open: (url: string) => Promise<Page>
  /** What is on the screen; also as it is on a phone, where the list of pictures says so. */
  readonly screen: (page: Page, name: string, how?: { readonly high?: number }) => Promise<void>
  /** A message by its id, another part of the page, or the last message. */
  readonly part: (page: Page, name: string, part?: Locator | string) => Promise<void>
}

interface Listed {
  /** The names of those that are also taken as they are on a phone. */
  readonly phone: ReadonlyArray<string>
  /** What each shows, by the file that takes it. */
  readonly pictures: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const listed = JSON.parse(readFileSync(new URL("./pictures.json", import.meta.url), "utf8")) as Listed
const names = new Set(Object.values(listed.pictures).flatMap((pictures) => Object.keys(pictures)))
const desk = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

/** Takes pictures in each language, with a browser of its own. */
export const film = (what: string, walk: (camera: Camera) => Promise<void>): void =>
  describe.each(languages)(`${what}, in %s`, (language) => {
    it("is taken", { timeout: 400_000 }, async () => {
      const browser = await launch()
      try {
        await walk(await makeCamera(browser, language))
      } finally {
        await browser.close()
      }
    })
  })

/** What a walk does on the page of one person. */
export const sit = async (camera: Camera, emulator: Emulator, channel = emulator.channelId, who = emulator.user()) => {
  const page = await camera.open(`${emulator.page}#/${channel}/${who.id}`)
  await page.locator("#text").waitFor()
  return {
    page,
    /** A picture of a message, once that says what it is to say. */
    part: async (name: string, message: { readonly id: string }, says = /./) => {
      const part = page.locator(`#m${message.id}`)
      await part.filter({ hasText: says }).waitFor()
      await camera.part(page, name, part)
    },
    /** A picture of the newest words to this person alone. */
    besides: async (name: string, says: RegExp) => {
      const told = await emulator.waitFor(
        () => who.ephemerals(channel).findLast((each) => says.test(each.content + JSON.stringify(each.embeds))),
        { what: `${says} in private`, timeoutMs: 20_000 }
      )
      await page.locator(`#m${told.id}`).waitFor()
      await camera.part(page, name, told.id)
      return told
    }
  }
}

const makeCamera = async (browser: Browser, language: Language): Promise<Camera> => {
  mkdirSync(folder, { recursive: true })
  const context = await browser.newContext({ viewport: desk, locale: language, reducedMotion: "reduce" })
  context.setDefaultTimeout(30_000)
  const path = (name: string, look: string) => {
    if (!names.has(name)) throw new Error(`${name} is not in pictures.json, which says what each picture shows`)
    return join(folder, `${name}-${language.slice(0, 2)}-${look}.png`)
  }
  const inBoth = async (page: Page, take: (look: string) => Promise<unknown>) => {
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await take(colorScheme)
    }
  }
  return {
    language,
    say: (english, chinese) => (language === "zh-CN" ? chinese : english),
    lists: (name) => names.has(name),
    context,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
    screen: async (page, name, { high = desk.height } = {}) => {
      await page.setViewportSize({ ...desk, height: high })
      await inBoth(page, (look) => page.screenshot({ path: path(name, look) }))
      if (listed.phone.includes(name)) {
        await page.setViewportSize(phone)
        await inBoth(page, (look) => page.screenshot({ path: path(name, `phone-${look}`) }))
      }
      await page.setViewportSize(desk)
    },
    part: async (page, name, part = page.locator(".message").last()) => {
      const shown = typeof part === "string" ? page.locator(`#m${part}`) : part
      // Nothing of it may be cut off, and nothing of it may be pointed at.
      await page.setViewportSize({ ...desk, height: 1800 })
      await page.mouse.move(0, 0)
      await shown.scrollIntoViewIfNeeded()
      await inBoth(page, (look) => shown.screenshot({ path: path(name, look) }))
      await page.setViewportSize(desk)
    }
  }
}
