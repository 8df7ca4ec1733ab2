import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import * as LocalAssistant from "@heddle/server/assistant/LocalAssistant"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import { orders } from "../local/Orders.ts"
import { account, withRealStack } from "../support/RealStack.ts"
import { buttonsOf } from "../support/Stack.ts"
import * as Camera from "./Camera.ts"

/** Runs a command as a person does who knows its name. */
const type = async (page: Page, command: string) => {
  await page.locator("#text").fill("")
  await page.locator("#text").pressSequentially(`/${command}`)
  await page.keyboard.press("Enter")
  await page.locator(".command-form").waitFor()
  await page.locator("button.send").click()
}

const submit = (page: Page) => page.getByRole("dialog").locator("button[type=submit]").click()

describe.each(Camera.languages)("from the first page to the last word of the account, in %s", (language) => {
  it("is taken", { timeout: 300_000 }, async () => {
    const browser = await Camera.launch()
    try {
      await withRealStack(
        async (stack) => {
          const { emulator, you } = stack
          const camera = await Camera.makeCamera(browser, language)
          const page = await camera.open(emulator.page)
          const last = page.locator(".message").last()
          /** Runs a command without options in the channel, and takes its answer. */
          const answer = async (path: string, name: string, more: Parameters<typeof you.command>[2] = {}) => {
            const before = await page.locator(".message").count()
            const said = await stack.ask(path, more)
            await page.locator(".message").nth(before).waitFor()
            await page.waitForTimeout(150)
            await camera.part(page, name)
            return said
          }

          // The way in.
          await page.locator(".starters button").first().waitFor()
          await camera.screen(page, "01-first-page", { phone: true })
          await page.locator(".who-menu summary").click()
          await camera.screen(page, "02-who-you-are")
          await page.locator(".who-menu summary").click()
          await page.locator("#text").pressSequentially("/")
          await page.locator("#commands").waitFor()
          await camera.screen(page, "03-commands", { phone: true })
          await page.locator("#text").fill("")
          const file = { name: "orders.csv", data: Buffer.from(orders(600)), contentType: "text/csv" }
          const prompt = language === "zh-CN" ? "这个文件里有什么？" : "What is in this file?"
          await you.command(emulator.channelId, "task new", { prompt, file })
          await last.locator("a.button").waitFor()
          await camera.screen(page, "04-connect", { phone: true })
          const popup = camera.context.waitForEvent("page")
          await last.locator("a.button").click()
          const pages = await popup
          await pages.locator("#name").fill("demo")
          await camera.screen(pages, "05-sign-in", { phone: true })
          await pages.locator("#password").fill("wrong password")
          await pages.locator("button[value=sign_in]").click()
          await pages.locator("[role=alert]").waitFor()
          await camera.screen(pages, "06-sign-in-wrong")
          await pages.locator("#password").fill(Redacted.value(account.password))
          await pages.locator("button[value=sign_in]").click()
          await pages.locator("button[value=allow]").waitFor()
          await camera.screen(pages, "07-consent", { phone: true })
          await pages.locator("button[value=allow]").click()
          const code = (await pages.locator(".code").textContent()) ?? ""
          await camera.screen(pages, "08-code", { phone: true })
          await pages.goto(`${new URL(pages.url()).origin}/oauth/callback?state=other&code=other`)
          await camera.screen(pages, "09-link-used")
          await pages.close()
          await last.locator("button.button").click()
          await page.getByRole("dialog").getByRole("textbox").fill("AAAA-BBBB")
          await camera.screen(page, "10-code-form", { phone: true })
          await submit(page)
          await page.waitForTimeout(700)
          await camera.screen(page, "11-code-wrong")
          await page.locator(".message button.button").last().click()
          await page.getByRole("dialog").getByRole("textbox").fill(code)
          await submit(page)

          // A task from its start to its end.
          const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread", timeoutMs: 30_000 })
          await page.waitForTimeout(1000)
          await camera.screen(page, "12-connected")
          const inThread = await camera.open(`${emulator.page}#/${thread.id}`)
          await inThread.locator("button.button").first().waitFor({ timeout: 90_000 })
          await you.send(thread.id, language === "zh-CN" ? "再画一张图" : "and draw a chart")
          await inThread.waitForTimeout(500)
          await camera.screen(inThread, "13-permission", { phone: true })
          await inThread.locator("button.button").first().click()
          await emulator.waitFor((e) => /-# (done|完成) ·/.test(e.transcript(thread.id)), {
            what: "the end",
            timeoutMs: 90_000
          })
          await inThread.waitForTimeout(1000)
          await camera.screen(inThread, "14-thread-whole", { high: 3200 })
          await camera.screen(inThread, "15-thread-end", { phone: true })
          const inside = async (path: string, name: string, more: Parameters<typeof you.command>[2] = {}) => {
            const said = await stack.ask(path, more, thread.id)
            await inThread.waitForTimeout(400)
            await camera.part(inThread, name)
            return said
          }
          await inside("task status", "16-status")
          await inside("artifacts list", "17-artifacts")
          await inside("artifacts plan", "18-plan-versions")
          await inside("artifacts download", "19-download", { name: "#1" })
          await inside("artifacts open", "20-open", { name: "#1" })
          await inside("task share", "21-share", { member: "Sam", may: "both" })
          await inside("task stop", "22-stop")
          await inThread.close()

          // The account.
          await answer("task list", "30-list")
          await answer("connect", "31-connect-again")
          await answer("credit", "32-credit")
          const lacking = await answer("profile", "33-profile")
          const more = buttonsOf(lacking).find(({ custom_id: id }) => id !== undefined)
          if (more !== undefined) {
            await stack.link(await (await you.press(emulator.channelId, lacking.id, more.custom_id)).settled())
            await page.waitForTimeout(300)
            await camera.part(page, "34-allowed-more")
            await answer("profile", "35-profile")
          }
          const withScope = async (path: string) => {
            const asked = await you.command(emulator.channelId, path)
            if (asked.type === "modal") return
            const said = await asked.settled()
            const button = buttonsOf(said)[0]
            if (button === undefined) return
            await page.waitForTimeout(300)
            await camera.part(page, `36-lacks-${path.replaceAll(" ", "-")}`)
            await stack.link(await (await you.press(emulator.channelId, said.id, button.custom_id)).settled())
          }
          await withScope("redeem code")
          await type(page, "redeem code")
          await page.getByRole("dialog").waitFor()
          await camera.screen(page, "37-redeem-form", { phone: true })
          const [good] = await stack.run(stack.server.redemptionCodes.create({ credits: 50 }))
          const redeem = async (text: string, name: string) => {
            if ((await page.getByRole("dialog").count()) === 0) await type(page, "redeem code")
            await page.getByRole("dialog").getByRole("textbox").fill(text)
            await submit(page)
            await page.getByRole("dialog").waitFor({ state: "detached" })
            await page.waitForTimeout(1000)
            await camera.part(page, name)
          }
          await redeem("NOT-A-CODE-1", "38-redeem-refused")
          await redeem(good === undefined ? "" : Redacted.value(good), "39-redeemed")
          await redeem(good === undefined ? "" : Redacted.value(good), "40-redeemed-twice")
          await type(page, "redeem voucher")
          await page.getByRole("dialog").waitFor()
          await camera.screen(page, "41-voucher-form")
          await page.keyboard.press("Escape")
          await withScope("verify-phone")
          await type(page, "verify-phone")
          await page.getByRole("dialog").waitFor()
          await camera.screen(page, "42-phone-form")
          await page.getByRole("dialog").getByRole("textbox").fill("13812345678")
          await submit(page)
          await page.waitForTimeout(800)
          await camera.part(page, "43-phone")

          // The assistant on the person's own computer.
          await withScope("assistant status")
          await withScope("assistant chat")
          await answer("assistant status", "50-assistant-offline")
          await answer("assistant send", "51-assistant-undelivered", { message: "hello" })
          const cwd = join(stack.folder, "computer")
          mkdirSync(cwd, { recursive: true })
          const { assistantToken } = await stack.run(stack.server.assistants.create(stack.userId, "PC"))
          await stack.run(
            LocalAssistant.run({
              service: stack.server.url,
              token: assistantToken,
              agentCommand: [process.execPath, agent],
              cwd,
              stateDir: join(stack.folder, "state"),
              approve: "ask",
              terminal: { ask: () => Effect.never },
              turnSilence: "1 minute"
            })
          )
          await page.waitForTimeout(1000)
          await answer("assistant status", "52-assistant-online")
          await answer("assistant send", "53-assistant-sent", { message: "say hello" })
          await page.waitForTimeout(2000)
          await answer("assistant history", "54-assistant-history")
          const chat = await answer("assistant chat", "55-assistant-chat")
          const chatThread = /<#(\d+)>/.exec(chat.content)?.[1] ?? ""
          const inChat = await camera.open(`${emulator.page}#/${chatThread}`)
          await you.send(chatThread, "say hello again")
          await inChat.waitForTimeout(4000)
          await camera.screen(inChat, "56-chat", { phone: true })
          await inChat.close()

          // The server.
          await answer("settings show", "60-settings")
          await answer("settings access", "61-access")
          await camera.screen(page, "62-access-screen", { phone: true })
          await answer("settings language", "63-language", { language: language === "zh-CN" ? "zh-CN" : "en-US" })
          await answer("settings audit", "64-audit")
          await answer("settings welcome", "65-welcome-said")
          await camera.screen(page, "66-welcome")
          const help = await answer("help", "70-help")
          for (const topic of ["thread", "questions", "account", "files", "access", "commands"]) {
            await you.select(emulator.channelId, help.id, "h1:topic", [topic])
            await page.waitForTimeout(300)
            await camera.part(page, `71-help-${topic}`)
          }
          await answer("task status", "72-no-task-here")
          const leaving = await answer("disconnect", "80-disconnect")
          await you.press(emulator.channelId, leaving.id, "c4:disconnect")
          await page.waitForTimeout(1000)
          await camera.part(page, "80-disconnected")
          await answer("credit", "81-not-connected")
          await camera.context.close()
        },
        {
          emulator: { locale: language, botName: "Heddle" },
          account: { phone: "+8613812345678", credits: 5000 },
          server: { isolation: "none" }
        }
      )
    } finally {
      await browser.close()
    }
  })
})

/** An agent that does what the message says. */
const agent = fileURLToPath(new URL("../../../../packages/server/test/sandbox/support/agent.mjs", import.meta.url))
