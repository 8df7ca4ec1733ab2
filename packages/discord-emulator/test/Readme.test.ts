import assert from "node:assert/strict"
import { Client, Events, GatewayIntentBits } from "discord.js"
import { afterAll, beforeAll, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"

let discord: Emulator
let bot: Client

beforeAll(async () => {
  discord = await startEmulator({ limits: "fast" })
  bot = new Client({ rest: { api: discord.api }, intents: [GatewayIntentBits.Guilds] })
  bot.on(Events.InteractionCreate, async (interaction) => {
    if (!interaction.isChatInputCommand()) return
    await interaction.deferReply()
    await interaction.editReply(`Hello ${interaction.user.username}`)
  })
  await bot.login(discord.botToken)
  await bot.rest.put(`/applications/${discord.applicationId}/guilds/${discord.guildId}/commands`, {
    body: [{ name: "hello", description: "Greets you" }]
  })
})

afterAll(async () => {
  await bot.destroy()
  await discord.close()
})

it("greets", async () => {
  const answer = await discord.user("Sam").command(discord.channelId, "hello")
  assert.equal((await answer.settled()).content, "Hello Sam")
  assert.equal(discord.transcript(discord.channelId), "Bot [bot]: Hello Sam")
})
