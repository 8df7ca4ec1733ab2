import { chinese, english } from "@heddle/bot/messages/Translations"
import { withMentions } from "@heddle/bot/messages/CommandMentions"
import { commandPaths } from "@heddle/bot/messages/CommandPaths"
import { startEmulator } from "@heddle/discord-emulator"
import { entries } from "../messages/Samples.ts"
import { rest } from "../support/Rest.ts"
import { film, sit } from "./Camera.ts"

/** Every text that the bot has, as a message; those of forms and pages too, since their words are looked at alike. */
film("every text of the catalogue", async (camera) => {
  const emulator = await startEmulator({ limits: "fast", locale: camera.language, botName: "Heddle" })
  try {
    const ids = Object.fromEntries(commandPaths.map((path) => [path.split(" ")[0] ?? "", emulator.channelId]))
    const messages = withMentions(camera.say("en", "zh") === "zh" ? chinese : english, ids)
    const groups = new Map<string, Array<string>>()
    for (const { path, text } of entries(messages)) {
      const words = text.replaceAll("1234567890123456789", emulator.user().id).trim()
      if (words === "") continue
      const [first = ""] = path.split(".")
      const group = camera.lists(`w-${first}`) ? first : "others"
      const posts = groups.get(group) ?? []
      const last = posts.at(-1) ?? ""
      // Several texts a message, which is what fits.
      if (last === "" || last.length + words.length > 1800) posts.push(words)
      else posts[posts.length - 1] = `${last}\n${words}`
      groups.set(group, posts)
    }
    for (const [group, texts] of groups) {
      const { id } = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, {
        name: group.toLowerCase(),
        type: 0
      })
      for (const content of texts) await rest(emulator, "POST", `/channels/${id}/messages`, { content })
      const { page } = await sit(camera, emulator, id)
      await page.waitForTimeout(500)
      const high = await page.locator(".conversation .scroll").evaluate((scroll) => scroll.scrollHeight)
      await camera.screen(page, `w-${group}`, { high: high + 140 })
      await page.close()
    }
  } finally {
    await emulator.close()
  }
})
