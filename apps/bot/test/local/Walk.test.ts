import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { launch, missing, pictures } from "@heddle/test-support/Chromium"
import type { Browser, Page } from "playwright-core"
import { orders } from "./Orders.ts"
import { type Running, serve } from "./Program.ts"

describe.skipIf(missing)("a person on the page", { timeout: 150_000 }, () => {
  let folder = ""
  let browser: Browser
  let stack: Running
  const start = () =>
    serve(["--data", join(folder, "data"), "--port", "0", "--service-port", "0", "--callback-port", "0"])
  const picture = async (page: Page, name: string) => {
    if (pictures === undefined) return
    await mkdir(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-walk-"))
    await writeFile(join(folder, "orders.csv"), orders())
    browser = await launch()
    stack = await start()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await stack?.end("SIGTERM")
    await rm(folder, { recursive: true, force: true })
  })

  /** Waits until the thread shows the end of a turn, counted from 0. */
  const turnEnds = (page: Page, index: number) =>
    page
      .getByText(/^done ·/)
      .nth(index)
      .waitFor()

  const openThread = (page: Page, name: RegExp) =>
    page.locator("nav, aside").getByRole("link", { name }).first().click()

  /** Types a command for a task with a file, without running it. */
  const enterTaskNew = async (page: Page, prompt: string) => {
    await page.locator("#text").pressSequentially("/task new")
    await page.getByRole("option", { name: /task new/ }).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.type(prompt)
    await page.getByRole("button", { name: "file", exact: true }).click()
    await page.locator(".file-field input").setInputFiles(join(folder, "orders.csv"))
  }

  it("connects, talks, approves, and continues", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 960 }, colorScheme: "dark" })
    const page = await context.newPage()
    await page.goto(stack.ready.page)

    await enterTaskNew(page, "What is in this file?")
    await picture(page, "1-command")
    await page.getByRole("button", { name: "Run the command" }).click()

    const popup = context.waitForEvent("page")
    await page.getByRole("link", { name: "Connect your account" }).click()
    await picture(page, "2-connect")
    const account = await popup
    await account.getByRole("button", { name: "Sign in" }).waitFor()
    await picture(account, "3-sign-in")
    await account.getByRole("button", { name: "Sign in" }).click()
    await account.getByRole("button", { name: "Allow" }).waitFor()
    await picture(account, "4-consent")
    await account.getByRole("button", { name: "Allow" }).click()
    const code = (await account.locator(".code").textContent()) ?? ""
    await picture(account, "5-code")
    await account.close()
    await page.getByRole("button", { name: "Enter the code" }).click()
    await page.getByRole("dialog").getByRole("textbox").fill(code)
    await picture(page, "5-modal")
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /submit/i })
      .click()

    await openThread(page, /What is in this file/)
    const allow = page.getByRole("button", { name: "Allow once", exact: true })
    await allow.waitFor()
    await picture(page, "6-permission")
    await allow.click()
    await turnEnds(page, 0)
    await page.locator('img[src*=".png"]').first().waitFor()
    await picture(page, "7-round")
    await page
      .locator('img[src*=".png"]')
      .first()
      .evaluate((image) => image.scrollIntoView({ block: "end" }))
    await picture(page, "thread")

    await page.locator("#text").fill("only rows where region is EU")
    await page.locator("#text").press("Enter")
    await turnEnds(page, 1)
    assert.isAtLeast(await page.getByText(/rows fit/).count(), 1, "the follow-up works on the same data")
  })

  // The other thread is that of the first story.
  it("finds an open question closed after kill -9, its answer ended as cut off, and goes on in the other thread", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 960 }, colorScheme: "dark" })
    await page.goto(stack.ready.page)
    await enterTaskNew(page, "analyse this")
    await page.getByRole("button", { name: "Run the command" }).click()
    await openThread(page, /analyse this/)
    await page.getByText("📎 orders.csv").first().waitFor()
    await page.getByRole("button", { name: "Allow once", exact: true }).waitFor()
    const { hash } = new URL(page.url())

    await stack.end("SIGKILL")
    stack = await start()
    await page.goto(`${stack.ready.page}${hash}`)
    await page.getByText(/^stopped before it was finished · /).waitFor()
    await picture(page, "8-cut-off")
    await page.getByText("No longer open").waitFor()
    await page.getByText("The service was interrupted").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Allow once", exact: true }).count(), 0)
    await page.getByText(/^[✖❌] Write report\.md/).waitFor()

    await openThread(page, /What is in this file/)
    await turnEnds(page, 1)
    await page.locator("#text").fill("how many rows")
    await page.locator("#text").press("Enter")
    await turnEnds(page, 2)
    assert.isAtLeast(await page.getByText(/\d rows/).count(), 1)
    await picture(page, "9-after-restart")
  })
})
