import { afterAll } from "@effect/vitest"
import * as Chromium from "@heddle/test-support/Chromium"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { Browser, BrowserContextOptions } from "playwright-core"

/**
 * A browser for the tests of one file, which makes no requests of its own. It starts with the first test and ends after
 * the last. Each test gets the page of a fresh visitor, and the origins to which the page sent requests.
 */
export const visits = () => {
  let browser: Promise<Browser> | undefined
  afterAll(async () => {
    if (browser !== undefined) await (await browser).close()
  })
  return (options: BrowserContextOptions = {}) =>
    Effect.gen(function* () {
      const context = yield* Effect.acquireRelease(
        Effect.promise(async () => (await (browser ??= Chromium.launch())).newContext(options)),
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

/** An application on its own origin. Its callback shows the parameters it got; `/evil` serves the page that is set. */
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
