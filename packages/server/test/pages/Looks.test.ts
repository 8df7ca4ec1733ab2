import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "@heddle/test-support/Chromium"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Visits from "../support/Visits.ts"

const rightToLeft = "متجر الكتب القديمة"
const long = "TheApplicationWithTheLongestNameThatAnybodyWouldEverGiveToAnApplicationAndThenSomeMoreToBeSure100"

const signIn = async (page: Page, name = "Ada", password = "correct horse") => {
  await page.getByLabel("Account name").fill(name)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
}

const views = Chromium.views({ width: 1000, height: 760 }, { width: 360, height: 740 }).slice(
  0,
  // The first two show every colour and every width; pictures are wanted of all.
  Chromium.pictures === undefined ? 2 : 4
)
const visit = Visits.visits()

describe.skipIf(Chromium.missing)("the layout of the pages", { timeout: 180_000 }, () => {
  it.scopedLive(
    "every page is accessible, in light and dark, on desktop and phone, without requests to other hosts",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make({ contract: { deviceFlow: true } })
        const choosing = yield* TestServer.make({
          signInHint: { name: "Ada", password: "correct horse" },
          contract: { partialConsent: true }
        })
        const apps = yield* Effect.forEach([rightToLeft, long], (name) =>
          server.applications.create({ name, redirectUris: [TestServer.redirectUri], scopes: ["user.task.readable"] })
        )
        yield* server.accounts.create({ name: rightToLeft, password: Redacted.make("correct horse") })
        const device = yield* Api.request(server, "/openapi/v2/device_authorization", {
          method: "POST",
          body: new URLSearchParams({ client_id: server.clientId, client_secret: server.clientSecret })
        })
        const connect = Api.connect(server, { scope: "user.task.readable user.task.invokable user.credit.readable" })
        const { asked, complaints, page } = yield* visit()
        const found: Array<string> = []
        const look = async (name: string) => void found.push(...(await Chromium.look(page, name, views)))
        const authorize = (more: Record<string, string> = {}) => server.at(Browser.authorizePath(server, more))

        yield* Effect.promise(async () => {
          await page.goto(authorize())
          await look("sign-in")
          await signIn(page, "Ada", "wrong")
          await look("sign-in-wrong")
          await page.getByLabel("Password").fill("correct horse")
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("button", { name: "Allow" }).waitFor()
          await look("consent")
          await page.goto(authorize({ client_id: apps[1]?.clientId ?? "" }))
          await look("consent-long-name")
          await page.goto(authorize({ client_id: "nobody" }))
          await look("bad-link")

          await page.goto(server.at("/connected-apps"))
          await look("apps-empty")
        })
        yield* connect
        yield* Effect.promise(async () => {
          await page.reload()
          await look("apps")
          await page.getByRole("link", { name: "Disconnect Loom" }).click()
          await look("apps-confirm")
          await page.getByRole("button", { name: "Disconnect" }).click()
          await page.getByText("Loom is disconnected").waitFor()
          await look("apps-disconnected")
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByText("You are signed out").waitFor()
          await look("apps-signed-out")
          await signIn(page, rightToLeft)
          await page.goto(authorize({ client_id: apps[0]?.clientId ?? "" }))
          await look("consent-right-to-left")

          await page.goto(server.at("/device"))
          await look("device-code")
          await page.getByLabel("The code on your device").fill("BBBB-BBBB")
          await page.getByRole("button", { name: "Continue" }).click()
          await page.getByText("unknown or has expired").waitFor()
          await look("device-wrong-code")
          await page.goto(String(device.json["verification_uri_complete"]))
          await look("device-consent")
          await page.getByRole("button", { name: "Allow" }).click()
          await look("device-done")

          await page.goto(choosing.at(Browser.authorizePath(choosing)))
          await look("sign-in-demo")
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("checkbox").first().waitFor()
          await look("consent-choose")
          await page.context().clearCookies()
          await page.getByRole("button", { name: "Allow" }).click()
          await page.getByText("A cookie is missing").waitFor()
          await look("cookie-missing")
        })
        assert.deepStrictEqual(found, [])
        assert.deepStrictEqual(complaints, [])
        assert.deepStrictEqual([...asked].sort(), [server.url, choosing.url].sort())
      })
  )
})
