import assert from "node:assert/strict"
import { type Client, ComponentType } from "discord.js"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { startBot } from "./bot.ts"

let discord: Emulator
let bot: Client

beforeAll(async () => {
  discord = await startEmulator({ limits: "fast", users: ["Ada", "Sam"] })
  bot = await startBot(discord.botToken, { rest: { api: discord.api } })
})
afterAll(async () => {
  await bot.destroy()
  await discord.close()
})

const ask = async (question: string) => {
  const { message } = await discord.user("Ada").command(discord.channelId, "vote", { question })
  const row = message?.components?.[0]
  assert.ok(row?.type === ComponentType.ActionRow)
  const ids = row.components.map((button) => ("custom_id" in button ? button.custom_id : ""))
  const press = (user: string, id: string | undefined) =>
    discord.user(user).press(discord.channelId, message?.id ?? "", id ?? "")
  return { yes: (user: string) => press(user, ids[0]), no: (user: string) => press(user, ids[1]) }
}

it("counts votes, and lets people change their minds", async () => {
  const vote = await ask("Pizza?")
  await vote.yes("Ada")
  await vote.no("Sam")
  const changed = await vote.yes("Sam")
  expect(changed.message?.content).toBe("**Pizza?**\n2 yes, 0 no")
  expect(discord.transcript(discord.channelId)).toBe("Bot [bot] (edited): **Pizza?**\n  2 yes, 0 no\n  [Yes] [No]")
})

it("tells only you that you already voted", async () => {
  const vote = await ask("Again?")
  await vote.yes("Sam")
  await vote.yes("Sam")
  expect(
    discord
      .user("Sam")
      .ephemerals()
      .map(({ content }) => content)
  ).toEqual(["You already said yes."])
  expect(discord.user("Ada").ephemerals()).toEqual([])
})

it("goes on where Discord fails it", async () => {
  const vote = await ask("Patience?")
  discord.fault({ method: "POST", route: /\/callback$/, status: 502, times: 1 })
  const { message } = await vote.yes("Ada")
  expect(message?.content).toBe("**Patience?**\n1 yes, 0 no")
})
