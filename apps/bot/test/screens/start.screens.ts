import * as Redacted from "effect/Redacted"
import { orders } from "../local/Orders.ts"
import { account, withRealStack } from "../support/RealStack.ts"
import { film, sit } from "./Camera.ts"

film("from the first page to the end of the first task", async (camera) =>
  withRealStack(
    async ({ ask, emulator, you }) => {
      const { page, part } = await sit(camera, emulator)
      const { context, say, screen } = camera
      await page.locator(".starters button").first().waitFor()
      await screen(page, "s01-first-page")
      await page.locator(".who-menu summary").click()
      await screen(page, "s02-who-you-are")
      await page.locator(".who-menu summary").click()
      await page.locator("#text").pressSequentially("/")
      await page.locator("#commands").waitFor()
      await screen(page, "s03-commands")
      await page.locator("#text").fill("")
      await page.locator("#text").pressSequentially("/task new")
      await page.keyboard.press("Enter")
      await page.locator(".command-form").waitFor()
      await screen(page, "s04-task-new")
      await page.keyboard.press("Escape")
      await page.locator("#text").fill("")

      const file = { name: "orders.csv", data: Buffer.from(orders(600)), contentType: "text/csv" }
      const prompt = say("What is in this file?", "这个文件里有什么？")
      const asked = await ask("task new", { prompt, file })
      const card = page.locator(`#m${asked.id}`)
      await card.locator("a.button").waitFor()
      await screen(page, "s05-connect")
      const popup = context.waitForEvent("page")
      await card.locator("a.button").click()
      const pages = await popup
      await pages.locator("#name").fill("demo")
      await screen(pages, "s06-sign-in")
      await pages.locator("#password").fill("wrong password")
      await pages.locator("button[value=sign_in]").click()
      await pages.locator("[role=alert]").waitFor()
      await screen(pages, "s07-sign-in-wrong")
      await pages.locator("#password").fill(Redacted.value(account.password))
      await pages.locator("button[value=sign_in]").click()
      await pages.locator("button[value=allow]").waitFor()
      await screen(pages, "s08-consent")
      await pages.locator("button[value=allow]").click()
      const code = (await pages.locator(".code").textContent()) ?? ""
      await screen(pages, "s09-code")
      await pages.close()
      const dialog = page.getByRole("dialog")
      const type = async (text: string) => {
        await card.locator("button.button").click()
        await dialog.getByRole("textbox").fill(text)
      }
      const submit = () => dialog.locator("button[type=submit]").click()
      await type("AAAA-BBBB")
      await screen(page, "s10-code-form")
      await submit()
      await part("s11-code-wrong", asked, /4/)
      await type(code)
      await submit()

      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread", timeoutMs: 60_000 })
      await card.filter({ hasText: prompt }).waitFor()
      await screen(page, "s12-connected")
      const { page: inThread, ...there } = await sit(camera, emulator, thread.id)
      const buttons = inThread.locator("button.button")
      await buttons.nth(2).waitFor({ timeout: 90_000 })
      await you.send(thread.id, say("chart price by region", "按 region 画 price 的图"))
      await inThread.getByText(say("chart price by region", "按 region 画 price 的图")).nth(1).waitFor()
      await screen(inThread, "s13-permission")
      const stateful = await ask("task status", {}, thread.id)
      await there.part("s14-status-waiting", stateful)
      await buttons.first().click()
      await emulator.waitFor((e) => /-# (done|完成) ·/.test(e.transcript(thread.id)), {
        what: "the end",
        timeoutMs: 90_000
      })
      await inThread.waitForTimeout(1000)
      await screen(inThread, "s15-thread-whole", { high: 3200 })
      await screen(inThread, "s16-thread-end")
      const inside = async (name: string, path: string, more: Parameters<typeof you.command>[2] = {}) =>
        there.part(name, await ask(path, more, thread.id))
      await inside("s17-artifacts", "artifacts list")
      await inside("s18-plan-versions", "artifacts plan")
      await inside("s19-download", "artifacts download", { name: "#1" })
      await inside("s20-open", "artifacts open", { name: "#1" })
      await inside("s21-nothing-of-that-name", "artifacts open", { name: "nothing like it" })
      await inside("s22-share", "task share", { member: "Sam", may: "both" })
      await inside("s23-unshare", "task unshare", { member: "Sam" })
      await inside("s24-stop", "task stop")
      await emulator.waitFor((e) => /-# (stopped|.*停止)/.test(e.transcript(thread.id)), {
        what: "the stop",
        timeoutMs: 60_000
      })
      await inThread.waitForTimeout(700)
      await screen(inThread, "s25-stopped")
      await inside("s26-nothing-to-stop", "task stop")
      await inThread.close()
      await part("s27-list", await ask("task list"))
      await part("s28-no-task-here", await ask("task status"))
      await you.send(emulator.channelId, `<@${emulator.applicationId}>`)
      await page.locator(".message").last().getByText("<@").waitFor({ state: "hidden" })
      await page.waitForTimeout(700)
      await camera.part(page, "s29-no-words")
    },
    { emulator: { locale: camera.language, botName: "Heddle" }, account: { credits: 5000 } }
  )
)
