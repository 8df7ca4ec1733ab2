import { assert, describe, it } from "@effect/vitest"
import * as Password from "@heddle/server/accounts/Password"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

const location = (page: Browser.Page) => new URL(page.headers.get("location") ?? "")

/** A browser with someone signed in, on the page that follows. */
const signedIn = (server: TestServer.TestServer, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const browser = Browser.make(server.url)
    const signIn = yield* browser.get(Browser.authorizePath(server, more))
    const done = yield* browser.press(signIn, "sign_in", { name: "Ada", password: "correct horse" })
    return { browser, page: yield* browser.get(done.headers.get("location") ?? "") }
  })

describe("AuthorizeHttp", () => {
  it.scopedLive("signs in, shows the consent page, and redirects with code and state", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(Browser.authorizePath(server, { scope: "user.task.readable" }))
      assert.strictEqual(signIn.status, 200)
      assert.include(Browser.words(signIn), "to continue to Loom")

      const done = yield* browser.press(signIn, "sign_in", { name: " ADA ", password: "correct horse" })
      assert.strictEqual(done.status, 303)
      const consent = yield* browser.get(done.headers.get("location") ?? "")
      const words = Browser.words(consent)
      assert.include(words, "Allow Loom to use your account?")
      assert.include(words, "See your tasks")
      assert.notInclude(words, "Start tasks for you")
      assert.include(words, "Signed in as Ada")
      assert.include(words, "you go back to 127.0.0.1:9.")
      assert.notInclude(consent.text, "autofocus")

      const back = yield* browser.press(consent, "allow")
      assert.strictEqual(back.status, 303)
      assert.isTrue(location(back).href.startsWith(`${TestServer.redirectUri}?code=oa_code_`))
      assert.strictEqual(location(back).searchParams.get("state"), "s t/a&te")
    })
  )

  it.scopedLive("forbids scripts and frames on its pages and limits form targets", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { page } = yield* signedIn(server)
      const policy = page.headers.get("content-security-policy") ?? ""
      const nonce = /style-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? ""
      assert.strictEqual(
        policy,
        `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self' http://127.0.0.1:9; frame-ancestors 'none'; base-uri 'none'`
      )
      assert.include(page.text, `<style nonce="${nonce}">`)
      assert.notInclude(page.text, "<script")
      assert.strictEqual(page.headers.get("x-frame-options"), "DENY")
      assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(page.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      const cookie = (yield* Browser.make(server.url).get(Browser.authorizePath(server))).headers.getSetCookie()
      assert.match(cookie[0] ?? "", /^heddle_session=.+; HttpOnly; SameSite=Lax/)
    })
  )

  it.scopedLive("allows forms to the application's own origins in any spelling of the host", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const uris = [
        "http://[::1]:9/callback",
        "https://x;frame-ancestors/cb",
        "https://y,z/cb",
        "https://a.example:8443/"
      ]
      const app = yield* server.applications.create({ name: "Odd", redirectUris: uris })
      const page = yield* Browser.make(server.url).get(
        Browser.authorizePath(server, { client_id: app.clientId, redirect_uri: uris[0] ?? "" })
      )
      assert.include(
        page.headers.get("content-security-policy") ?? "",
        "; form-action 'self' http: https: https://a.example:8443; frame-ancestors 'none'; base-uri 'none'"
      )
    })
  )

  it.scopedLive("redirects with access_denied on cancel", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { browser, page } = yield* signedIn(server)
      const back = yield* browser.press(page, "cancel")
      assert.strictEqual(back.status, 303)
      assert.strictEqual(location(back).searchParams.get("error"), "access_denied")
      assert.strictEqual(location(back).searchParams.get("state"), "s t/a&te")
      assert.isNull(location(back).searchParams.get("code"))
    })
  )

  it.scopedLive("remembers consent for the same scopes only, and forgets the person on sign-out", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { browser, page } = yield* signedIn(server, { scope: "user.task.readable" })
      yield* browser.press(page, "allow")
      const again = yield* browser.get(Browser.authorizePath(server, { scope: "user.task.readable" }))
      assert.strictEqual(again.status, 302)
      assert.isNotNull(location(again).searchParams.get("code"))

      const more = yield* browser.get(Browser.authorizePath(server, { scope: "user.task.invokable" }))
      assert.include(Browser.words(more), "Allow Loom")
      const out = yield* browser.press(more, "sign_out")
      assert.strictEqual(out.status, 303)
      assert.include((yield* browser.get(out.headers.get("location") ?? "")).text, "<h1>Sign in</h1>")
    })
  )

  it.scopedLive("answers a wrong password and an unknown account alike, and stops after ten tries", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(Browser.authorizePath(server))
      const visible = (page: Browser.Page) => page.text.replaceAll(/nonce="[^"]*"|value="[^"]*"/g, "")
      const unknown = yield* browser.press(signIn, "sign_in", { name: "nobody", password: "x" })
      const wrong = yield* browser.press(signIn, "sign_in", { name: "ada", password: "x" })
      assert.strictEqual(unknown.status, 401)
      assert.strictEqual(visible(unknown), visible(wrong))
      assert.notInclude(wrong.text, 'value="x"')

      yield* Effect.forEach(
        Array.from({ length: 9 }),
        () => browser.press(signIn, "sign_in", { name: "ada", password: "x" }),
        { concurrency: "unbounded" }
      )
      const limited = yield* browser.press(signIn, "sign_in", { name: "ADA", password: "correct horse" })
      assert.strictEqual(limited.status, 429)
      assert.isAbove(Number(limited.headers.get("retry-after")), 500)
      assert.include(limited.text, "Too many tries")
    })
  )

  it.scopedLive("limits sign-ins per address over all names, and per network for IPv6", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ trustProxy: true })
      const tries = (address: (index: number) => string) =>
        Effect.gen(function* () {
          const browser = Browser.make(server.url)
          browser.headers.set("x-forwarded-for", address(0))
          const signIn = yield* browser.get(Browser.authorizePath(server))
          const answers: Array<Browser.Page> = []
          for (let index = 0; index < 21; index++) {
            browser.headers.set("x-forwarded-for", address(index))
            answers.push(yield* browser.press(signIn, "sign_in", { name: `name ${index}`, password: "x" }))
          }
          return answers
        })
      for (const address of [() => "198.51.100.9", (index: number) => `2001:db8::${index + 1}`]) {
        const answers = yield* tries(address)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [...Array.from({ length: 20 }, () => 401), 429]
        )
        const wait = Number(answers.at(-1)?.headers.get("retry-after"))
        assert.isTrue(wait >= 1 && wait <= 60, `${wait}`)
        const words = wait < 60 ? "a moment" : "1 minute"
        assert.include(answers.at(-1)?.text ?? "", `Too many tries from your network. Wait ${words}`)
      }
      assert.strictEqual((yield* signedIn(server)).page.status, 200, "somebody elsewhere")
    })
  )

  it.scopedLive(
    "limits waiting password checks, refuses more at once, and recovers",
    () =>
      Effect.gen(function* () {
        // Checks wait because they take as long as real ones.
        const server = yield* TestServer.make({ trustProxy: true }, yield* Password.Cost)
        const ready = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index),
          (index) =>
            Effect.gen(function* () {
              const browser = Browser.make(server.url)
              browser.headers.set("x-forwarded-for", `198.51.100.${index}`)
              return { browser, signIn: yield* browser.get(Browser.authorizePath(server)) }
            })
        )
        const answers = yield* Effect.forEach(
          ready,
          ({ browser, signIn }, index) => browser.press(signIn, "sign_in", { name: `name ${index}`, password: "x" }),
          { concurrency: "unbounded" }
        )
        const busy = answers.filter(({ status }) => status === 503)
        assert.isAbove(busy.length, 20)
        assert.isAtLeast(answers.filter(({ status }) => status === 401).length, 10)
        assert.strictEqual(busy[0]?.headers.get("retry-after"), "5")
        assert.include(busy[0]?.text ?? "", "Too many people are signing in at this moment. Wait a moment")
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))].sort(), [401, 503])
        assert.strictEqual((yield* signedIn(server)).page.status, 200)
      }),
    60_000
  )

  it.scopedLive("ignores forms of another session, request or page", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const mine = yield* signedIn(server)
      const other = yield* signedIn(server, { state: "other" })
      const foreignSession = yield* other.browser.press(mine.page, "allow")
      assert.strictEqual(foreignSession.status, 400)
      assert.include(foreignSession.text, "This page has expired")

      const foreignRequest = yield* mine.browser.press(mine.page, "allow", {
        scope: "user.credit.exchange",
        state: "evil"
      })
      assert.strictEqual(foreignRequest.status, 400)

      const visitor = Browser.make(server.url)
      const signIn = yield* visitor.get(Browser.authorizePath(server))
      const foreignPage = yield* visitor.press(
        { ...signIn, text: signIn.text.replace('"sign_in"', '"allow"') },
        "allow"
      )
      assert.strictEqual(foreignPage.status, 400)
    })
  )

  it.scopedLive("never redirects for an unknown application or redirect address (contract decision 36)", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const bad: ReadonlyArray<Record<string, string>> = [
        { client_id: "nobody" },
        { client_id: "" },
        { redirect_uri: "http://evil.example/" },
        { redirect_uri: `${TestServer.redirectUri}/` },
        { redirect_uri: `${TestServer.redirectUri}?x=1` },
        { redirect_uri: TestServer.redirectUri.toUpperCase() },
        { redirect_uri: "" }
      ]
      for (const more of bad) {
        const page = yield* browser.get(Browser.authorizePath(server, more))
        assert.strictEqual(page.status, 400, JSON.stringify(more))
        assert.isNull(page.headers.get("location"))
        assert.include(page.text, "This link does not work")
      }
      const twice = yield* browser.get(`${Browser.authorizePath(server)}&redirect_uri=http%3A%2F%2Fevil.example`)
      assert.strictEqual(twice.status, 400)
      yield* server.applications.disable(server.clientId)
      assert.strictEqual((yield* browser.get(Browser.authorizePath(server))).status, 400)
    })
  )

  it.scopedLive("redirects with other errors, or answers JSON where no page is accepted (contract decision 37)", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const challenge = "a".repeat(43)
      const faults: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{ response_type: "" }, "invalid_request"],
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ scope: "user.task.readable admin" }, "invalid_scope"],
        [{ scope: " " }, "invalid_scope"],
        [{ code_challenge: challenge }, "invalid_request"],
        [{ code_challenge: challenge, code_challenge_method: "plain" }, "invalid_request"],
        [{ code_challenge: "short", code_challenge_method: "S256" }, "invalid_request"],
        [{ code_challenge_method: "S256" }, "invalid_request"]
      ]
      for (const [more, error] of faults) {
        const page = yield* browser.get(Browser.authorizePath(server, more))
        assert.strictEqual(page.status, 302, JSON.stringify(more))
        assert.isTrue(location(page).href.startsWith(TestServer.redirectUri))
        assert.strictEqual(location(page).searchParams.get("error"), error)
        assert.strictEqual(location(page).searchParams.get("state"), "s t/a&te")
        const json = yield* Api.request(server, Browser.authorizePath(server, more), {
          headers: { accept: "application/json" }
        })
        assert.strictEqual(json.status, 400)
        assert.strictEqual(json.json["error"], error)
      }
      const long = yield* browser.get(Browser.authorizePath(server, { state: "x".repeat(2049) }))
      assert.strictEqual(location(long).searchParams.get("error"), "invalid_request")
      const stranger = yield* Api.request(server, Browser.authorizePath(server, { client_id: "nobody" }))
      assert.strictEqual(stranger.status, 401)
      assert.strictEqual(stranger.json["error"], "invalid_client")
    })
  )

  it.scopedLive("accepts POST, keeps the query of a redirect address, and reads slashes unchanged", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const own = `${TestServer.redirectUri}?tenant=a%2Fb`
      const app = yield* server.applications.create({ name: "<b>Own</b>", redirectUris: [own] })
      const ask = { response_type: "code", client_id: app.clientId, redirect_uri: own }
      const browser = Browser.make(server.url)
      const posted = yield* browser.post("/openapi/v2/authorize", ask)
      assert.strictEqual(posted.status, 303)
      const signIn = yield* browser.get(posted.headers.get("location") ?? "")
      assert.include(signIn.text, "&#60;b&#62;Own&#60;/b&#62;")
      const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
      const consent = yield* browser.get(done.headers.get("location") ?? "")
      const back = yield* browser.press(consent, "allow")
      assert.isTrue(location(back).href.startsWith(`${own}&code=oa_code_`))

      const unencoded = yield* browser.get(
        `/openapi/v2/authorize?response_type=code&client_id=${server.clientId}&redirect_uri=${TestServer.redirectUri}`
      )
      assert.include(Browser.words(unencoded), "Allow Loom")
    })
  )

  it.scopedLive("fills in the demo account where there is one", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ signInHint: { name: "Ada", password: "correct horse" } })
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(Browser.authorizePath(server))
      assert.include(signIn.text, "local demo account")
      assert.strictEqual((yield* browser.press(signIn, "sign_in")).status, 303)
    })
  )

  it.scopedLive("requires PKCE when the option is set", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { requirePkce: true } })
      const page = yield* Browser.make(server.url).get(Browser.authorizePath(server))
      assert.strictEqual(location(page).searchParams.get("error"), "invalid_request")
      const verifier = Crypto.randomBytes(32).toString("base64url")
      const challenge = Crypto.createHash("sha256").update(verifier).digest("base64url")
      const callback = yield* Browser.authorize(server, { code_challenge: challenge, code_challenge_method: "S256" })
      assert.isTrue(Option.isSome(Option.fromNullable(callback.get("code"))))
    })
  )
})
