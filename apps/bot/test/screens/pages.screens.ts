import { startEmulator } from "@heddle/discord-emulator"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import { account, withRealStack } from "../support/RealStack.ts"
import { linkOf } from "../support/Stack.ts"
import { film, sit } from "./Camera.ts"

const signIn = async (page: Page) => {
  await page.locator("#name").fill(account.name)
  await page.locator("#password").fill(Redacted.value(account.password))
  await page.locator("button[value=sign_in]").click()
}

film("every page of the service and of the bot", async (camera) =>
  withRealStack(
    async ({ ask, run, server }) => {
      const { screen } = camera
      const { clientId, clientSecret } = await run(
        server.applications.create({
          name: "Loom",
          redirectUris: ["http://127.0.0.1:1/callback"],
          scopes: ["user.profile.readable", "user.credit.readable", "user.task.invokable"]
        })
      )
      const authorize = (more: Record<string, string> = {}) =>
        `${server.url}/openapi/v2/authorize?${new URLSearchParams({
          response_type: "code",
          client_id: clientId,
          redirect_uri: "http://127.0.0.1:1/callback",
          state: "s",
          ...more
        })}`
      const page = await camera.open(authorize({ redirect_uri: "http://elsewhere.example/" }))
      await screen(page, "p01-bad-link")
      await page.goto(authorize())
      await signIn(page)
      await page.locator("button[value=allow]").waitFor()
      await screen(page, "p02-consent-by-choice")
      await page
        .locator("input[name=form_token]")
        .evaluateAll((inputs) => inputs.forEach((input) => input.setAttribute("value", "old")))
      await page.locator("button[value=allow]").click()
      await screen(page, "p03-form-expired")
      await page.goto(authorize())
      await page.locator("button[value=allow]").click()
      // No application listens at that address.
      await page.waitForURL(/127\.0\.0\.1:1\/|chrome-error/, { waitUntil: "commit" }).catch(() => undefined)

      // A device, which shows a code that is typed here.
      const device = async () => {
        const answer = await fetch(`${server.url}/openapi/v2/device_authorization`, {
          method: "POST",
          body: new URLSearchParams({ client_id: clientId, client_secret: Redacted.value(clientSecret) })
        })
        return ((await answer.json()) as { readonly user_code: string }).user_code
      }
      const [first, second] = [await device(), await device()]
      await page.goto(`${server.url}/device`)
      await screen(page, "p04-device-code")
      const type = async (code: string) => {
        await page.locator("#user_code").fill(code)
        await page.locator("button[value=check]").click()
      }
      await type("BBBB-BBBB")
      await screen(page, "p05-device-unknown")
      await type(first)
      await screen(page, "p06-device-consent")
      await page.locator("button[value=allow]").click()
      await screen(page, "p07-device-connected")
      await page.goto(`${server.url}/device?user_code=${second}`)
      await page.locator("button[value=cancel]").click()
      await screen(page, "p08-device-denied")
      await page.goto(`${server.url}/device?user_code=${second}`)
      await screen(page, "p09-device-answered")
      for (const letter of "BCDFGHJKLMNP") await page.goto(`${server.url}/device?user_code=BBBB-${letter}BBB`)
      await screen(page, "p10-device-too-many")

      await page.goto(`${server.url}/connected-apps`)
      await screen(page, "p11-connected-apps")
      await page.locator("a[href*='app=']").first().click()
      await screen(page, "p12-disconnect-app")
      await page.locator("button[value=disconnect]").click()
      await screen(page, "p13-app-disconnected")
      await page.locator("button[value=sign_out]").click()
      await screen(page, "p14-signed-out")
      await page.goto(`${server.url}/reference`)
      await page.locator(".opblock").first().waitFor()
      await screen(page, "p15-reference")
      await page.locator(".opblock").first().click()
      await page.waitForTimeout(500)
      await screen(page, "p16-reference-open")

      // The bot's own.
      const link = new URL(linkOf(await ask("connect")))
      const { origin } = new URL(link.searchParams.get("redirect_uri") ?? "")
      const state = link.searchParams.get("state") ?? ""
      const callback = (query: string) => page.goto(`${origin}/oauth/callback?${query}`)
      await callback("state=other&code=other")
      await screen(page, "p20-link-unusable")
      await callback(`state=${state}&error=server_error`)
      await screen(page, "p21-not-finished")
      const again = async (answer: string) => {
        const next = new URL(linkOf(await ask("connect")))
        await callback(`state=${next.searchParams.get("state")}&${answer}`)
      }
      await again("error=access_denied")
      await screen(page, "p22-denied")
      await again("error=invalid_scope")
      await screen(page, "p23-not-set-up")
      await again("token_type=Bearer")
      await screen(page, "p24-does-not-fit")
      await page.goto(`${origin}/artifacts/none`)
      await screen(page, "p25-link-gone")
      await page.goto(`${origin}/nothing`)
      await screen(page, "p26-no-such-page")
      await page.goto(`${origin}/healthz`)
      await screen(page, "p27-healthz")
      await page.goto(`${origin}/readyz`)
      await screen(page, "p28-readyz")
    },
    {
      emulator: { locale: camera.language, botName: "Heddle" },
      server: { contract: { revocation: true, deviceFlow: true, partialConsent: true } }
    }
  )
)

film("the page of the local Discord", async (camera) =>
  withRealStack(
    async ({ emulator, you }) => {
      const { screen } = camera
      const sam = emulator.user("Sam")
      const { page } = await sit(camera, emulator)
      const hello = await you.send(
        emulator.channelId,
        "**Hello**, <@" + sam.id + ">! `code`, ||hidden||, ~~struck~~ :) 🎉"
      )
      await sam.send(
        emulator.channelId,
        "Good morning.",
        [{ name: "notes.txt", data: Buffer.from("one\ntwo\nthree\n"), contentType: "text/plain" }],
        { replyTo: hello.id }
      )
      await sam.react(emulator.channelId, hello.id, "👍")
      await page.locator(".members-button").click()
      await page.waitForTimeout(500)
      await screen(page, "e01-channel-and-members")
      await page.locator(".members-button").click()
      await page.locator(`#m${hello.id}`).click({ button: "right" })
      await page.waitForTimeout(300)
      await screen(page, "e02-message-menu")
      await page.keyboard.press("Escape")
      await page.locator(`#m${hello.id}`).hover()
      await page.locator(`#m${hello.id} .toolbar button.danger`).click()
      await page.getByRole("dialog").waitFor()
      await screen(page, "e03-delete")
      await page.keyboard.press("Escape")
      const forum = (await you.request("POST", `/guilds/${emulator.guildId}/channels`, {
        name: "ideas",
        type: 15,
        topic: "What we might do",
        available_tags: [{ name: "urgent", emoji_name: "❗" }]
      })) as { readonly id: string }
      const posts = await camera.open(`${emulator.page}#/${forum.id}`)
      await posts.getByRole("button", { name: "New post" }).click()
      await posts.waitForTimeout(300)
      await screen(posts, "e04-new-post")
      await posts.keyboard.press("Escape")
      await posts.close()
      await page.locator("#text").pressSequentially("/task open")
      await page.keyboard.press("Enter")
      await page.waitForTimeout(700)
      await screen(page, "e05-command-without-suggestions")
      await page.keyboard.press("Escape")
      const gone = await startEmulator({ locale: camera.language, botName: "Heddle" })
      const { page: left } = await sit(camera, gone)
      await gone.close()
      await left.locator(".banner[role=alert]").waitFor()
      await screen(left, "e06-connection-lost")
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)
