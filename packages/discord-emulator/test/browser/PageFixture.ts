import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { launch } from "@heddle/test-support/Chromium"
import type { Client } from "discord.js"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll } from "vitest"
import { login } from "../support/Bot.ts"
import { buildPage } from "./BuildPage.ts"
import { givePageCommands } from "./PageBot.ts"

/** An emulator that keeps its data, a bot with commands, and a browser; all end with the suite. */
export interface PageFixture {
  readonly emulator: () => Emulator
  readonly client: () => Client<true>
  /** Opens a page of its own, as a person does in a new tab. */
  readonly open: (hash?: string, options?: OpenOptions) => Promise<Page>
  /** Writes as a person into the page opened last. */
  readonly type: (text: string) => Promise<void>
  /** Posts as the bot. */
  readonly say: (text: string) => Promise<void>
  /** Lets `/slow` finish. */
  readonly release: () => void
  readonly stop: () => Promise<void>
  /** Starts it again; `interactionMs` is how long a command may remain unanswered, as at Discord without it. */
  readonly start: (port: number, interactionMs?: number) => Promise<void>
}

export interface OpenOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: "dark" | "light"
}

/**
 * Prepares the suite that calls it. Every page is watched: an error, a dialog that a script opened, or a request to any
 * other host fails the test.
 */
export const pageFixture = (): PageFixture => {
  let browser: Browser
  let data: string
  let emulator: Emulator
  let client: Client<true>
  let release = (): void => undefined
  const pages: Array<Page> = []
  /** Pages of earlier tests, which forgot them: a browser's next visit costs a third less than its first. */
  const free: Array<Page> = []
  const wrong: Array<string> = []

  const start = async (port: number, interactionMs = 3000): Promise<void> => {
    emulator = await startEmulator({ limits: "fast", data, port, interactionMs, log: () => undefined })
    client = await login(emulator)
    ;({ release } = await givePageCommands(client))
  }
  const stop = async (): Promise<void> => {
    await client.destroy()
    await emulator.close()
  }

  beforeAll(async () => {
    await buildPage()
    data = await mkdtemp(join(tmpdir(), "page-"))
    browser = await launch()
    await start(0)
  }, 30_000)
  afterEach(async () => {
    await Promise.all(pages.splice(0).map(leave))
    assert.deepEqual(wrong.splice(0), [])
  })
  afterAll(async () => {
    await browser.close()
    await stop()
    await rm(data, { recursive: true })
  })

  const watch = (page: Page): void => {
    page.on("pageerror", (error) => wrong.push(String(error)))
    page.on("dialog", (dialog) => {
      wrong.push(`a script ran: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on("request", (request) => {
      const inside = request.url().startsWith(emulator.page) || /^(data|blob):/.test(request.url())
      if (!inside) wrong.push(`asked for ${request.url()}`)
    })
  }

  const fresh = async (): Promise<Page> => {
    const page = await browser.newPage({ reducedMotion: "reduce" })
    page.setDefaultTimeout(15_000)
    watch(page)
    return page
  }
  const leave = async (page: Page): Promise<void> => {
    await page.evaluate("localStorage.clear(); sessionStorage.clear()")
    await page.goto("about:blank")
    free.push(page)
  }

  return {
    emulator: () => emulator,
    client: () => client,
    release: () => release(),
    start,
    stop,
    open: async (hash = "", { width = 1280, height = 800, colorScheme = "dark" } = {}) => {
      const page = free.pop() ?? (await fresh())
      pages.push(page)
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await page.goto(`${emulator.page}${hash}`)
      await page.locator("#text:enabled").waitFor()
      return page
    },
    type: async (text) => {
      const page = pages.at(-1)
      await page?.locator("#text:enabled").focus()
      await page?.keyboard.type(text)
    },
    say: async (text) => {
      const channel = await client.channels.fetch(emulator.channelId)
      if (channel?.isSendable() === true) await channel.send(text)
    }
  }
}
