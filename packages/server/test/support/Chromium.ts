import { afterAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Axe from "axe-core"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import * as Http from "node:http"
import { join } from "node:path"
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core"

const executablePath = [
  process.env["HEDDLE_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
].find((path) => path !== undefined && existsSync(path))

/** Whether there is no browser here, and none is demanded. */
export const missing = executablePath === undefined && process.env["HEDDLE_REQUIRE_BROWSER"] !== "1"
if (missing) console.warn("The tests of the pages are skipped: no Chromium was found; set HEDDLE_CHROMIUM to one.")

/** Where to leave pictures of the pages, for people; none by default. */
const pictures = process.env["HEDDLE_PICTURES"]

const launch = () =>
  chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })

/**
 * A browser for the tests of the file that asks for it, which makes no requests of its own; started for the first test
 * and gone after the last. Gives each test the page of a fresh visitor, and the origins that it asked for anything.
 */
export const visits = () => {
  let browser: Promise<Browser> | undefined
  afterAll(async () => {
    if (browser !== undefined) await (await browser).close()
  })
  return (options: BrowserContextOptions = {}) =>
    Effect.gen(function* () {
      const context = yield* Effect.acquireRelease(
        Effect.promise(async () => (await (browser ??= launch())).newContext(options)),
        (context) => Effect.promise(() => context.close())
      )
      const page = yield* Effect.promise(() => context.newPage())
      page.setDefaultTimeout(10_000)
      const asked = new Set<string>()
      const complaints: Array<string> = []
      page.on("request", (request) => asked.add(new URL(request.url()).origin))
      page.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) complaints.push(message.text())
      })
      return { page, context, asked, complaints }
    })
}

/** An application on an origin of its own: its callback shows what it was given; `/evil` serves what is set. */
export const application = Effect.acquireRelease(
  Effect.promise(async () => {
    const pages = new Map<string, string>()
    const server = Http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://any")
      response.setHeader("content-type", "text/html")
      response.end(pages.get(pathname) ?? "<title>The application</title><h1>Back at the application</h1>")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { origin: `http://127.0.0.1:${port}`, callback: `http://127.0.0.1:${port}/callback`, port, pages, server }
  }),
  ({ server }) =>
    Effect.promise(
      () =>
        new Promise((resolve) => {
          server.close(resolve)
          server.closeAllConnections()
        })
    )
)

/** What axe finds on a page that hinders people seriously. */
export const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(Axe.source)
  const { violations } = await page.evaluate<Axe.AxeResults>(`axe.run(document, { resultTypes: ["violations"] })`)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

const sizes = { desk: { width: 1000, height: 760 }, phone: { width: 360, height: 740 } }

// The first two show every colour and every width; pictures are wanted of all.
const views = [
  ["light", "desk"],
  ["dark", "phone"],
  ["light", "phone"],
  ["dark", "desk"]
] as const

/** Looks at a page as different people see it: what hinders them, and pictures where they are wanted. */
export const look = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [colorScheme, size] of pictures === undefined ? views.slice(0, 2) : views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(sizes[size])
    const where = `${name}, ${colorScheme}, ${size}`
    found.push(...(await barriers(page)).map((barrier) => `${where}: ${barrier}`))
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
    if (wide > 0) found.push(`${where}: ${wide} pixels wider than the screen`)
    if (pictures === undefined) continue
    await mkdir(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${size}.png`), fullPage: true })
  }
  await page.setViewportSize(sizes.desk)
  await page.emulateMedia({ colorScheme: "light" })
  return found
}
