import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "@heddle/test-support/Chromium"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Visits from "../support/Visits.ts"

/** A service, and an application on an origin of its own that sends people to it. */
const make = (name = "Loom", options: Parameters<typeof TestServer.make>[0] = {}, person = "Ada") =>
  Effect.gen(function* () {
    const server = yield* TestServer.make(options)
    if (person !== "Ada") yield* server.accounts.create({ name: person, password: Redacted.make("correct horse") })
    const app = yield* Visits.application
    const { clientId, clientSecret } = yield* server.applications.create({ name, redirectUris: [app.callback] })
    const authorize = (more: Record<string, string> = {}) =>
      server.at(
        `/openapi/v2/authorize?${new URLSearchParams({
          response_type: "code",
          client_id: clientId,
          redirect_uri: app.callback,
          state: "s t/a&te",
          ...more
        })}`
      )
    const exchange = (code: string) =>
      Api.token(server, {
        grant_type: "authorization_code",
        code,
        client_id: clientId,
        client_secret: Redacted.value(clientSecret),
        redirect_uri: app.callback
      })
    return { server, app, authorize, exchange }
  })

const signIn = async (page: Page, name = "Ada") => {
  await page.getByLabel("Account name").fill(name)
  await page.getByLabel("Password").fill("correct horse")
  await page.getByRole("button", { name: "Sign in" }).click()
}

const arrived = async (page: Page) => {
  await page.getByRole("heading", { name: "Back at the application" }).waitFor()
  return new URL(page.url()).searchParams
}

const allow = (page: Page) => page.getByRole("button", { name: "Allow" })

/** What has the focus, as it would be read out. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return "nothing"
    const label = at.labels?.[0]?.textContent || at.textContent
    const { outlineStyle, outlineWidth } = getComputedStyle(at)
    const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2
    return label.trim().replace(/\\s+/g, " ") + (seen ? "" : " (not to be seen)")
  })()`)

const visit = Visits.visits()

describe.skipIf(Chromium.missing)("a person on the authorization pages", { timeout: 60_000 }, () => {
  it.scopedLive("connects and disconnects an application on a phone without JavaScript", () =>
    Effect.gen(function* () {
      const { authorize, exchange, server } = yield* make()
      const { asked, complaints, page } = yield* visit({
        javaScriptEnabled: false,
        viewport: { width: 360, height: 640 },
        isMobile: true,
        hasTouch: true,
        colorScheme: "dark"
      })
      const code = yield* Effect.promise(async () => {
        await page.goto(authorize())
        await signIn(page)
        await allow(page).tap()
        const callback = await arrived(page)
        assert.strictEqual(callback.get("state"), "s t/a&te")
        return callback.get("code") ?? ""
      })
      const tokens = yield* exchange(code)
      const works = Effect.map(
        Api.call(server, String(tokens.json["access_token"]), "/user/profile"),
        ({ status }) => status === 200
      )
      assert.isTrue(yield* works)
      yield* Effect.promise(async () => {
        await page.goto(authorize())
        assert.notStrictEqual((await arrived(page)).get("code"), code, "the same question comes only once")
        await page.goto(server.at("/connected-apps"))
        await page.getByText("Redeem credit codes and vouchers for you").waitFor()
        await page.getByRole("link", { name: "Disconnect Loom" }).tap()
        await page.getByRole("link", { name: "Keep it" }).tap()
        await page.getByRole("link", { name: "Disconnect Loom" }).tap()
        await page.getByRole("button", { name: "Disconnect" }).tap()
        await page.getByText("Loom is disconnected.").waitFor()
        await page.getByText("No application can use your account.").waitFor()
      })
      assert.isFalse(yield* works)
      yield* Effect.promise(async () => {
        await page.goto(authorize())
        await page.getByText("Allow Loom to use your account?").waitFor()
        await page.getByRole("link", { name: "connected apps" }).tap()
        await page.getByRole("button", { name: "Sign out" }).tap()
        await page.getByText("You are signed out.").waitFor()
        await page.goto(authorize())
        await page.getByRole("button", { name: "Sign in" }).waitFor()
      })
      assert.deepStrictEqual(complaints, [])
      assert.strictEqual(asked.size, 2, "the service and the application")
    })
  )

  it.scopedLive("completes the pages with the keyboard alone, and Allow needs a decision", () =>
    Effect.gen(function* () {
      const { authorize } = yield* make("Loom", { contract: { partialConsent: true } })
      const { page } = yield* visit()
      const press = async (...keys: ReadonlyArray<string>) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      yield* Effect.promise(async () => {
        await page.goto(authorize({ scope: "user.profile.readable user.credit.readable" }))
        assert.strictEqual(await focused(page), "Account name")
        await page.keyboard.type("ada")
        await press("Tab")
        assert.strictEqual(await focused(page), "Password")
        await page.keyboard.type("correct horse")
        await press("Enter")
        await allow(page).waitFor()
        assert.strictEqual(await focused(page), "nothing")
        const order: Array<string> = []
        for (let tabs = 0; tabs < 6; tabs++) {
          await press("Tab")
          order.push(await focused(page))
        }
        assert.deepStrictEqual(order, [
          "Use another account",
          "See your name and picture",
          "See how many credits you have and have used",
          "connected apps",
          "Cancel",
          "Allow"
        ])
        // The Enter key in a box must not answer for the person: what follows would come too late.
        await press("Shift+Tab", "Shift+Tab", "Shift+Tab", "Enter", "Space", "Tab", "Tab", "Tab", "Enter")
        assert.isNotNull((await arrived(page)).get("code"))

        // What was left out is asked again; nothing ticked is a no.
        await page.goto(authorize({ scope: "user.profile.readable" }))
        assert.isNotNull((await arrived(page)).get("code"))
        await page.goto(authorize({ scope: "user.credit.readable" }))
        await page.getByRole("checkbox").uncheck()
        await allow(page).click()
        assert.strictEqual((await arrived(page)).get("error"), "access_denied")
        await page.goto(authorize({ scope: "user.credit.readable" }))
        await press("Tab", "Enter")
        await page.getByRole("button", { name: "Sign in" }).waitFor()
        await page.getByRole("button", { name: "Cancel and go back" }).click()
        assert.strictEqual((await arrived(page)).get("error"), "access_denied")
      })
    })
  )

  it.scopedLive("stays signed in and allows nothing when another site submits forms or frames the pages", () =>
    Effect.gen(function* () {
      const { app, authorize } = yield* make()
      const { context, page } = yield* visit()
      const question = new URL(authorize())
      const inputs = [...question.searchParams].map(
        ([name, value]) => `<input name="${name}" value="${value.replaceAll("&", "&amp;")}">`
      )
      const form = (more: string) =>
        `<form method="post" action="${question.origin}${question.pathname}">${inputs.join("")}${more}<button>Win a prize</button></form>`
      app.pages.set("/ask", form(""))
      app.pages.set("/allow", form('<input name="step" value="allow"><input name="form_token" value="x">'))
      app.pages.set("/out", form('<input name="step" value="sign_out"><input name="form_token" value="x">'))
      app.pages.set("/frame", `<h1>Frame</h1><iframe src="${question.href.replaceAll("&", "&amp;")}"></iframe>`)
      // Another site, and one that shares the service's host and is the same site to a browser.
      const evils = [app.origin.replace("127.0.0.1", "localhost"), app.origin]
      yield* Effect.promise(async () => {
        await page.goto(authorize())
        await signIn(page)
        await allow(page).waitFor()
        const before = await context.cookies(question.href)
        for (const evil of evils) {
          for (const path of ["/allow", "/out"]) {
            await page.goto(evil + path)
            await page.getByRole("button").click()
            await page.getByText("This did not come from our page").waitFor()
          }
          await page.goto(`${evil}/frame`)
          await page.getByRole("heading", { name: "Frame" }).waitFor()
          await page.waitForLoadState("networkidle")
          assert.strictEqual(await page.frames()[1]?.getByRole("button").count(), 0)
          // A request in a body counts, no matter who sends it: the signed-in person gets the answer.
          await page.goto(`${evil}/ask`)
          await page.getByRole("button").click()
          await page.getByText("Signed in as Ada").waitFor()
        }
        assert.deepStrictEqual(await context.cookies(question.href), before)
        await allow(page).click()
        assert.isNotNull((await arrived(page)).get("code"))
      })
    })
  )

  it.scopedLive("can continue after back, a double submit, two tabs, an ended sign-in and without cookies", () =>
    Effect.gen(function* () {
      const { authorize } = yield* make()
      const { context, page } = yield* visit()
      yield* Effect.promise(async () => {
        const other = await context.newPage()
        await page.goto(authorize())
        await other.goto(authorize())
        await signIn(page)
        await allow(page).waitFor()

        // The other tab still shows the sign-in from before.
        await signIn(other)
        await other.getByText("This page has expired").waitFor()
        await other.getByRole("link", { name: "Start again" }).click()
        await allow(other).waitFor()

        // Signed out there, allowed here.
        await other.getByRole("button", { name: "Use another account" }).click()
        await other.getByRole("button", { name: "Sign in" }).waitFor()
        await allow(page).click()
        await page.getByText("This page has expired").waitFor()
        await page.getByRole("link", { name: "Start again" }).click()
        await signIn(page)

        await allow(page).dblclick()
        assert.isNotNull((await arrived(page)).get("code"))
        await page.goBack()
        assert.isNotNull((await arrived(page)).get("code"), "what was allowed is not asked again on the way back")

        await context.clearCookies()
        await other.goto(authorize())
        await context.clearCookies()
        await signIn(other)
        await other.getByText("A cookie is missing").waitFor()
        await other.getByRole("link", { name: "Start again" }).click()
        await signIn(other)
        assert.isNotNull((await arrived(other)).get("code"))
      })
    })
  )

  it.scopedLive("sees names with markup as plain text", () =>
    Effect.gen(function* () {
      const evil = `"><script>document.title="owned"</script><img src=x onerror="document.title='owned'">\u202E`
      const person = `<b onclick=x>&amp;\u202E'"`
      const { authorize, server } = yield* make(evil, {}, person)
      const { asked, complaints, page } = yield* visit()
      const sound = async () => {
        assert.strictEqual(await page.locator("script, img, b, iframe").count(), 0)
        assert.notInclude(await page.title(), "owned ")
        assert.notStrictEqual(await page.title(), "owned")
      }
      yield* Effect.promise(async () => {
        await page.goto(authorize({ state: `"></form><script>document.title="owned"</script>` }))
        await sound()
        assert.include(await page.locator("main").innerText(), evil)
        await signIn(page, `${person}x`)
        await page.getByText("The account name or the password is wrong").waitFor()
        await sound()
        await signIn(page, person)
        await allow(page).waitFor()
        await sound()
        assert.include(await page.locator("main").innerText(), person)
        await page.getByText("See your name and picture").waitFor()
        await allow(page).click()
        assert.strictEqual((await arrived(page)).get("state"), `"></form><script>document.title="owned"</script>`)
        await page.goto(server.at("/connected-apps"))
        await page.getByRole("link", { name: "Disconnect" }).click()
        await sound()
        await page.getByRole("button", { name: "Disconnect" }).click()
        await page.getByText("is disconnected").waitFor()
        await sound()
        await page.goto(authorize({ client_id: evil }))
        await sound()
      })
      assert.deepStrictEqual(complaints, [])
      assert.strictEqual(asked.size, 2)
    })
  )
})
