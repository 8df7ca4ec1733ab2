import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "@heddle/test-support/Chromium"
import * as Effect from "effect/Effect"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

const browser = Effect.acquireRelease(Effect.promise(Chromium.launch), (browser) =>
  Effect.promise(() => browser.close())
)

describe("ReferenceHttp", () => {
  it.scopedLive.skipIf(Chromium.missing)("shows every operation in a browser without access to other hosts", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const page = yield* Effect.flatMap(browser, (browser) => Effect.promise(() => browser.newPage()))
      const asked: Array<string> = []
      const complaints: Array<string> = []
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
      })
      page.on("pageerror", (error) => complaints.push(error.message))
      yield* Effect.promise(async () => {
        await page.route("**", (route) => {
          const { origin } = new URL(route.request().url())
          asked.push(origin)
          return origin === server.url ? route.continue() : route.abort()
        })
        await page.goto(`${server.url}/reference`)
        await page.getByText("/openapi/v2/redemptions").waitFor()
      })
      const summaries = yield* Effect.promise(() => page.locator(".opblock").count())
      assert.strictEqual(summaries, 14)
      yield* Effect.promise(async () => {
        await page.getByText("Read a task with its link and token").click()
        await page.getByText("not_found").first().waitFor()
        const shot = process.env["HEDDLE_SCREENSHOT"]
        if (shot !== undefined) await page.screenshot({ path: shot, fullPage: true })
        await page.getByRole("button", { name: "Try it out" }).click()
        await page.getByPlaceholder("task_id").fill("unknown")
        await page.getByRole("button", { name: "Execute" }).click()
        await page.getByText("The request carries no access token").first().waitFor()
      })
      assert.deepStrictEqual(
        [...new Set(asked)].filter((origin) => origin !== server.url && origin !== "null"),
        []
      )
      assert.deepStrictEqual(
        complaints.filter((text) => !text.includes("401 (Unauthorized)")),
        []
      )
    })
  )

  it.scopedLive("allows only the page's own scripts, and compresses the page for clients that accept it", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const page = yield* Api.request(server, "/reference")
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers.get("content-encoding"), "gzip")
      const policy = page.headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; script-src 'sha256-[^ ]+'; .*frame-ancestors 'none'$/)
      assert.notInclude(policy, "https:")
      const plain = yield* Api.request(server, "/reference", { headers: { "accept-encoding": "identity" } })
      assert.isNull(plain.headers.get("content-encoding"))
      assert.strictEqual(plain.text, page.text)
    })
  )
})
