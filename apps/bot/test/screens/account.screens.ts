import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import { orders } from "../local/Orders.ts"
import { account, withRealStack } from "../support/RealStack.ts"
import { buttonsOf, linkOf } from "../support/Stack.ts"
import { film, sit } from "./Camera.ts"

/** Runs a command as a person does who knows its name. */
const type = async (page: Page, command: string) => {
  await page.locator("#text").fill("")
  await page.locator("#text").pressSequentially(`/${command}`)
  await page.keyboard.press("Enter")
  await page.locator(".command-form").waitFor()
  await page.locator("button.send").click()
  await page.getByRole("dialog").waitFor()
}

film("an account", async (camera) =>
  withRealStack(
    async (stack) => {
      const { ask, emulator, link, proxy, run, server, you } = stack
      const { besides, page, part } = await sit(camera, emulator)
      const { screen } = camera
      const press = async (card: Parameters<typeof buttonsOf>[0] & { readonly id: string }, which = 0) =>
        (await you.press(emulator.channelId, card.id, buttonsOf(card)[which]!.custom_id)).settled()

      // A link that comes to nothing on the page, and one that is not used in time.
      const none = await ask("credit")
      await part("a01-not-connected", none)
      const asked = await press(none)
      await part("a02-link", asked)
      const pages = await camera.open(linkOf(asked))
      await pages.locator("#name").fill("demo")
      await pages.locator("#password").fill(Redacted.value(account.password))
      await pages.locator("button[value=sign_in]").click()
      await pages.locator("button[value=cancel]").click()
      await pages.locator(".sign").waitFor()
      await screen(pages, "a03-page-denied")
      await pages.close()
      const now = (id: string) => you.ephemerals().find((each) => each.id === id)!
      await emulator.waitFor(() => buttonsOf(now(asked.id)).length === 1, { what: "the end of the link" })
      await part("a04-denied", asked)
      const form = await you.press(emulator.channelId, (await ask("connect")).id, "c2:code")
      await you.submit(form, { code: "AAAA-AAAA" })
      await besides("a05-no-code-waits", /No account waits|没有账号在等待/)
      await part("a06-connected", await link(await press(now(asked.id))))
      await page.waitForTimeout(500)
      await screen(page, "a07-said-once")
      await part("a08-connected-already", await ask("connect"))
      await part("a09-credit", await ask("credit"))
      await part("a10-profile", await ask("profile"))

      // More access, then codes and vouchers.
      const lacking = await ask("redeem code")
      await part("a11-lacks", lacking)
      const more = await press(lacking)
      await part("a12-allow-more", more)
      await part("a13-allowed", await link(more))
      await type(page, "redeem code")
      await screen(page, "a14-redeem-form")
      const codes = await run(server.redemptionCodes.create({ credits: 50, count: 2 }))
      const [good = "", unclear = ""] = codes.map(Redacted.value)
      const redeem = async (name: string, text: string, says: RegExp) => {
        if ((await page.getByRole("dialog").count()) === 0) await type(page, "redeem code")
        await page.getByRole("dialog").getByRole("textbox").fill(text)
        await page.getByRole("dialog").locator("button[type=submit]").click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await besides(name, says)
      }
      await redeem("a15-redeem-refused", "NOT-A-CODE-1", /❌/)
      await redeem("a16-redeemed", good, /✅[^]*50/)
      await redeem("a17-redeemed-before", good, /❌/)
      proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "refuse" : "pass")
      await redeem("a18-redeem-unknown", unclear, /⏳/)
      await part("a19-disconnect-unknown", await ask("disconnect"))
      proxy.state.fate = () => "pass"
      await type(page, "redeem voucher")
      await screen(page, "a20-voucher-form")
      await page.keyboard.press("Escape")

      await link(await press(await ask("verify-phone")))
      await type(page, "verify-phone")
      await screen(page, "a21-phone-form")
      const phone = async (name: string, number: string, says: RegExp) => {
        if ((await page.getByRole("dialog").count()) === 0) await type(page, "verify-phone")
        await page.getByRole("dialog").getByRole("textbox").fill(number)
        await page.getByRole("dialog").locator("button[type=submit]").click()
        await besides(name, says)
      }
      await phone("a22-phone", "13812345678", /✅.*(phone|手机)/)
      await phone("a23-phone-of-another", "13987654321", /❌.*(phone|手机)/)
      await part("a24-disconnected", await ask("disconnect"))
      await page.waitForTimeout(300)
      await part("a25-nothing-to-disconnect", await ask("disconnect"))
    },
    {
      emulator: { locale: camera.language, botName: "Heddle" },
      account: { phone: "+8613812345678", credits: 5000 }
    }
  )
)

const other = { name: "other", password: Redacted.make("another long password") }

film("one account in place of another", async (camera) =>
  withRealStack(
    async ({ ask, emulator, link, proxy, run, server, you }) => {
      await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
      await link(await ask("connect"))
      const { page, part } = await sit(camera, emulator)
      const press = async (card: Parameters<typeof buttonsOf>[0] & { readonly id: string }, which = 0) =>
        (await you.press(emulator.channelId, card.id, buttonsOf(card)[which]!.custom_id)).settled()
      const file = { name: "orders.csv", data: Buffer.from(orders(60)), contentType: "text/csv" }
      await you.command(emulator.channelId, "task new", { prompt: camera.say("Write a report", "写一份报告"), file })
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread", timeoutMs: 60_000 })
      await emulator.waitFor((e) => e.messages(thread.id).some((each) => (each.components ?? []).length > 0), {
        what: "a question",
        timeoutMs: 60_000
      })
      await ask("task share", { member: "Sam", may: "reply" }, thread.id)
      const bye = await ask("disconnect")
      await part("a30-disconnect", bye)
      await part("a31-disconnect-kept", await press(bye, 1))
      const signedInAsOther = async () => {
        const elsewhere = await ask("redeem code")
        return { elsewhere, question: await link(await press(await ask("verify-phone")), other) }
      }
      const first = await signedInAsOther()
      await part("a32-replace", first.question)
      await part("a33-replace-elsewhere", first.elsewhere)
      await part("a34-replace-kept", await press(first.question, 1))
      await part("a35-replace-kept-elsewhere", first.elsewhere)
      const second = await signedInAsOther()
      proxy.state.fate = (_, path) => (path.endsWith("/revoke") ? "hold" : "pass")
      await part("a36-replaced", await press(second.question))
      await page.waitForTimeout(300)
      await camera.screen(page, "a37-replaced-said-once")
      await part("a38-disconnect-shared", await ask("disconnect"))
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)
