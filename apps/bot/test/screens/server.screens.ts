import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "../support/RealStack.ts"
import { press } from "../support/Stack.ts"
import { film, sit } from "./Camera.ts"
import { runAssistant } from "../support/RunAssistant.ts"

film("the local assistant", async (camera) =>
  withRealStack(
    async (stack) => {
      const { ask, emulator, link, you } = stack
      const { page, part } = await sit(camera, emulator)
      await link(await ask("connect"))
      const lacking = await ask("assistant chat")
      await part("b01-lacks", lacking)
      await link(await press(you, lacking))
      await part("b02-offline", await ask("assistant status"))
      await part("b03-no-history", await ask("assistant history"))
      await part("b04-undelivered", await ask("assistant send", { message: "hello" }))
      await runAssistant(stack, [process.execPath, scriptedAgent])
      await page.waitForTimeout(1000)
      await part("b05-online", await ask("assistant status"))
      await part("b06-sent", await ask("assistant send", { message: "echo hello" }))
      const chat = await ask("assistant chat")
      await part("b07-chat-opened", chat)
      await page.waitForTimeout(1500)
      await part("b08-history", await ask("assistant history"))
      const place = /<#(\d+)>/.exec(chat.content)?.[1] ?? ""
      const { page: inChat } = await sit(camera, emulator, place)
      await you.send(place, camera.say("echo Good morning!", "echo 早上好！"))
      await inChat.waitForTimeout(3000)
      await you.send(place, "ask Delete the old logs")
      const list = inChat.locator("[role=combobox]").first()
      await list.waitFor()
      await camera.screen(inChat, "b09-chat")
      await list.click()
      for (const key of ["ArrowDown", "Enter"]) await inChat.keyboard.press(key)
      await inChat.waitForTimeout(3000)
      await camera.screen(inChat, "b10-chat-answered")
    },
    {
      emulator: { locale: camera.language, botName: "Heddle" },
      server: { agents: [{ isolation: "none" }], contract: { revocation: true, permissionResponse: "accept" } }
    }
  )
)

film("the settings of a server, and the help", async (camera) =>
  withRealStack(
    async ({ ask, emulator, you }) => {
      const { page, part } = await sit(camera, emulator)
      await part("b20-settings", await ask("settings show"))
      const panel = await ask("settings access")
      await part("b21-access", panel)
      await camera.screen(page, "b22-access-screen")
      const shown = page.locator(`#m${panel.id}`)
      const deny = shown.locator("button.button").nth(1)
      await deny.click()
      await shown.getByText("⛔").first().waitFor()
      await part("b23-access-denied", panel)
      const sam = emulator.user("Sam")
      const { part: ofSam } = await sit(camera, emulator, undefined, sam)
      const askAs = async (path: string, more = {}) => (await sam.command(emulator.channelId, path, more)).settled()
      await ofSam("b24-ruled-out", await askAs("task new", { prompt: "hello" }))
      await shown.locator("button.button").nth(2).click()
      await shown.getByText("⛔").first().waitFor({ state: "detached" })
      await part("b26-language", await ask("settings language", { language: camera.language }))
      await part("b27-settings-chosen", await ask("settings show"))
      await part("b28-audit", await ask("settings audit"))
      await part("b29-welcome-said", await ask("settings welcome"))
      await page.waitForTimeout(300)
      await camera.part(page, "b30-welcome")
      const help = await ask("help")
      await part("b31-help", help)
      for (const topic of ["thread", "questions", "account", "files", "access", "commands"]) {
        await you.select(emulator.channelId, help.id, "h1:topic", [topic])
        await page.waitForTimeout(400)
        await part(`b32-help-${topic}`, help)
      }
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)
