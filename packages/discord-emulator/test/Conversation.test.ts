import assert from "node:assert/strict"
import { Events } from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Stage, stage } from "./Bot.ts"

describe("a bot that answers", () => {
  let on: Stage
  beforeAll(async () => {
    on = await stage()
    on.client.on(Events.MessageCreate, async (message) => {
      if (!message.author.bot) await message.reply(`You said: ${message.content}`)
    })
  })
  afterAll(() => on.close())

  it("logs in, hears a person and replies", async () => {
    const { emulator } = on
    assert.equal(on.client.user.id, emulator.applicationId)
    assert.deepEqual(
      on.client.guilds.cache.map((guild) => guild.name),
      ["Local server"]
    )
    const sent = await emulator.user().send(emulator.channelId, "hello")
    const answer = await emulator.waitFor(() =>
      emulator.messages(emulator.channelId).find((message) => message.author.bot)
    )
    assert.equal(answer.content, "You said: hello")
    assert.equal(answer.message_reference?.message_id, sent.id)
    assert.equal(emulator.transcript(emulator.channelId), "You: hello\nBot [bot] → You: You said: hello")
  })
})
