import { assert, describe, it } from "@effect/vitest"
import { freePort } from "@heddle/test-support/FreePort"
import * as Effect from "effect/Effect"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

const credentials = { name: "Ada", password: "correct horse" }
const next = (page: Browser.Page) => page.headers.get("location") ?? ""

/** The three pages that people open, with a form of each. */
const pages = (server: TestServer.TestServer) =>
  [
    { path: Browser.authorizePath(server), cookie: "heddle_session", step: "allow" },
    { path: "/connected-apps", cookie: "heddle_apps_session", step: "sign_out" },
    { path: "/device", cookie: "heddle_device_session", step: "sign_out" }
  ] as const

/** A new browser on the sign-in page that this path leads to. */
const opened = (server: TestServer.TestServer, path: string) => {
  const browser = Browser.make(server.url)
  return Effect.map(browser.get(path), (signIn) => ({ browser, signIn }))
}

describe("the forms of the pages", () => {
  it.scopedLive("are accepted only from this service's own pages, where the browser sends an origin", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { deviceFlow: true } })
      for (const { path, step } of pages(server)) {
        const { browser, signIn } = yield* opened(server, path)
        const page = yield* browser.get(next(yield* browser.press(signIn, "sign_in", credentials)))
        const jar = [...browser.jar]
        for (const site of ["cross-site", "same-site", "anything"]) {
          browser.headers.set("sec-fetch-site", site)
          const refused = yield* browser.press(page, step)
          assert.strictEqual(refused.status, 403, `${path} ${site}`)
          assert.include(Browser.words(refused), "nothing was done")
          assert.deepStrictEqual([...browser.jar], jar)
        }
        browser.headers.delete("sec-fetch-site")
        for (const origin of ["https://evil.example", "http://127.0.0.1:1", `${server.url}.evil.example`, "evil"]) {
          browser.headers.set("origin", origin)
          assert.strictEqual((yield* browser.press(page, step)).status, 403, `${path} ${origin}`)
          assert.deepStrictEqual([...browser.jar], jar)
        }
        // Our own forms: `null`, because the pages send no referrer, or the service's origin.
        browser.headers.set("origin", step === "allow" ? server.url : "null")
        browser.headers.set("sec-fetch-site", "same-origin")
        assert.strictEqual((yield* browser.press(page, step)).status, 303)
      }
    })
  )

  it.scopedLive("start a session only with a page that a person opened, never with a POST", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { deviceFlow: true } })
      for (const { path } of pages(server)) {
        for (const dest of ["image", "iframe", "empty"]) {
          const browser = Browser.make(server.url)
          browser.headers.set("sec-fetch-dest", dest)
          assert.deepStrictEqual((yield* browser.get(path)).headers.getSetCookie(), [])
        }
        const browser = Browser.make(server.url)
        const [base = "", query] = path.split("?")
        const fields = Object.fromEntries(new URLSearchParams(query))
        assert.deepStrictEqual((yield* browser.post(base, fields)).headers.getSetCookie(), [])
        const forged = yield* browser.post(base, { ...fields, step: "sign_in", form_token: "x", ...credentials })
        assert.strictEqual(forged.status, 400)
        assert.include(Browser.words(forged), "A cookie is missing")
        assert.deepStrictEqual(forged.headers.getSetCookie(), [])
      }
    })
  )

  it.scopedLive("start a new session at sign-in, which makes a planted session useless", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { deviceFlow: true } })
      for (const { cookie, path } of pages(server)) {
        const { browser, signIn } = yield* opened(server, path)
        const planted = browser.jar.get(cookie) ?? ""
        assert.match(planted, /^oa_ss_/)
        yield* browser.press(signIn, "sign_in", credentials)
        const own = browser.jar.get(cookie) ?? ""
        assert.match(own, /^oa_ss_/)
        assert.notStrictEqual(own, planted)

        const thief = Browser.make(server.url)
        thief.jar.set(cookie, planted)
        assert.include(Browser.words(yield* thief.get(path)), "Account name")

        // A second sign-in in the same browser ends the first one, and signing out ends all.
        thief.jar.set(cookie, own)
        const page = yield* thief.get(path)
        assert.include(Browser.words(page), "Signed in as Ada")
        const out = yield* thief.press(page, "sign_out")
        assert.strictEqual(thief.jar.get(cookie), "")
        assert.include(out.headers.getSetCookie().join(), "Max-Age=0")
        assert.include(Browser.words(yield* browser.get(path)), "Account name")
      }
    })
  )

  it.scopedLive("sign a person in on all pages, with each cookie limited to its own page", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const done = yield* browser.press(yield* browser.get("/connected-apps"), "sign_in", credentials)
      assert.deepStrictEqual(
        done.headers.getSetCookie().map((cookie) => cookie.replace(/=oa_ss_[^;]+/, "")),
        [
          "heddle_session; Max-Age=43200; Path=/openapi/v2/authorize; HttpOnly; SameSite=Lax",
          "heddle_apps_session; Max-Age=43200; Path=/connected-apps; HttpOnly; SameSite=Lax"
        ]
      )
      assert.include(Browser.words(yield* browser.get(Browser.authorizePath(server))), "Signed in as Ada")
    })
  )

  it.scopedLive("target the public address, also with a path", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const server = yield* TestServer.make({ port, publicUrl: "https://example.test/heddle" })
      const strip = (address: string) => {
        assert.isTrue(address.startsWith("/heddle/"), address)
        return address.slice("/heddle".length)
      }
      for (const path of [Browser.authorizePath(server), "/connected-apps"]) {
        // What a reverse proxy does: the path of the public address is its own.
        const browser = Browser.make(`http://127.0.0.1:${port}`)
        const signIn = yield* browser.get(path)
        const behind = { ...signIn, text: signIn.text.replaceAll('action="/heddle/', 'action="/') }
        assert.notStrictEqual(behind.text, signIn.text)
        const done = yield* browser.press(behind, "sign_in", credentials)
        assert.include(
          done.headers.getSetCookie().join(),
          "Path=/heddle/connected-apps; HttpOnly; Secure; SameSite=Lax"
        )
        const page = yield* browser.get(strip(next(done)))
        assert.include(Browser.words(page), "Signed in as Ada")
        if (path !== "/connected-apps") assert.include(page.text, 'href="/heddle/connected-apps"')
      }
    })
  )

  it.scopedLive("describe errors for people on the page, and for programs in the error body", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ limits: { rate: { authorize: { requests: 2, seconds: 60 } } } })
      const browser = Browser.make(server.url)
      yield* browser.get("/connected-apps")
      const put = yield* Effect.promise(() =>
        fetch(server.at("/connected-apps"), { method: "PUT", headers: { accept: "text/html" } })
      )
      assert.strictEqual(put.status, 405)
      assert.include(put.headers.get("allow") ?? "", "POST")
      assert.include(put.headers.get("content-security-policy") ?? "", "default-src 'none'")
      const limited = yield* browser.get(Browser.authorizePath(server))
      assert.strictEqual(limited.status, 429)
      assert.isAbove(Number(limited.headers.get("retry-after")), 0)
      assert.include(Browser.words(limited), "Too many requests")
      const program = yield* Effect.promise(() => fetch(server.at("/connected-apps")))
      assert.include(yield* Effect.promise(() => program.text()), '"rate_limited"')
    })
  )
})

describe("the page of connected apps", () => {
  it.scopedLive("disconnects only after a confirmation on the same page", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const other = yield* server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] })
      const browser = Browser.make(server.url)
      for (const client_id of [server.clientId, other.clientId]) {
        let page = yield* browser.get(Browser.authorizePath(server, { client_id }))
        if (page.text.includes("sign_in"))
          page = yield* browser.get(next(yield* browser.press(page, "sign_in", credentials)))
        yield* browser.press(page, "allow")
      }
      const list = yield* browser.get("/connected-apps")
      for (const name of ["Disconnect Loom", "Disconnect Other"]) assert.include(Browser.words(list), name)
      // An address asks; it does nothing.
      const confirm = yield* browser.get(`/connected-apps?app=${server.clientId}`)
      assert.include(Browser.words(confirm), "Disconnect Loom?")
      assert.include(Browser.words(yield* browser.get("/connected-apps")), "Disconnect Loom")

      const token = /name="form_token" value="([^"]*)"/.exec(list.text)?.[1] ?? ""
      const forged = [
        yield* browser.press(confirm, "disconnect", { app: other.clientId }),
        yield* browser.press(confirm, "disconnect", { form_token: token }),
        yield* Browser.make(server.url).press(confirm, "disconnect")
      ]
      for (const { status } of forged) assert.strictEqual(status, 400)

      const done = yield* browser.press(confirm, "disconnect")
      assert.strictEqual(done.status, 303)
      assert.include(Browser.words(yield* browser.get(next(done))), "Loom is disconnected.")
      assert.strictEqual((yield* browser.press(confirm, "disconnect")).status, 303, "pressed twice")
      const left = Browser.words(yield* browser.get(`/connected-apps?disconnected=${other.clientId}`))
      assert.include(left, "Disconnect Other")
      assert.notInclude(left, "is disconnected")
    })
  )

  it.scopedLive("requires sign-in first, returns to the confirmation, and refuses an ended session", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const mine = Browser.make(server.url)
      const signIn = yield* mine.get(Browser.authorizePath(server))
      yield* mine.press(yield* mine.get(next(yield* mine.press(signIn, "sign_in", credentials))), "allow")

      const browser = Browser.make(server.url)
      const asked = yield* browser.get(`/connected-apps?app=${server.clientId}`)
      const wrong = yield* browser.press(asked, "sign_in", { name: "Ada", password: "x" })
      assert.strictEqual(wrong.status, 401)
      const done = yield* browser.press(wrong, "sign_in", credentials)
      const confirm = yield* browser.get(next(done))
      assert.include(Browser.words(confirm), "Disconnect Loom?")
      const session = new Map(browser.jar)
      yield* browser.press(yield* browser.get("/connected-apps"), "sign_out")
      for (const [name, value] of session) browser.jar.set(name, value)
      const ended = yield* browser.press(confirm, "disconnect")
      assert.strictEqual(ended.status, 401)
      assert.include(Browser.words(ended), "nothing was disconnected")
      const again = yield* browser.get(next(yield* browser.press(ended, "sign_in", credentials)))
      assert.include(Browser.words(again), "Disconnect Loom?")
    })
  )
})
