import assert from "node:assert/strict"
import type { TextChannel } from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Stage, stage } from "./Bot.ts"

describe("faults on demand", () => {
  let on: Stage
  let channel: TextChannel
  beforeAll(async () => {
    on = await stage()
    channel = (await on.client.channels.fetch(on.emulator.channelId)) as TextChannel
  })
  afterAll(() => on.close())

  const texts = (): ReadonlyArray<string> => on.emulator.messages(channel.id).map((message) => message.content)

  it("fail before acting: discord.js tries again and the message is there once", async () => {
    on.emulator.fault({ method: "POST", route: /\/messages$/, status: 503, times: 2 })
    await channel.send("patience")
    assert.equal(texts().filter((text) => text === "patience").length, 1)
  })

  it("fail after acting: a plain retry doubles the message, a nonce does not", async () => {
    on.emulator.fault({ method: "POST", route: /\/messages$/, status: 502, after: true, times: 1 })
    await channel.send("twice")
    assert.equal(texts().filter((text) => text === "twice").length, 2)
    on.emulator.fault({ method: "POST", route: /\/messages$/, dropSocket: true, after: true, times: 1 })
    await channel.send({ content: "once", nonce: "once-1", enforceNonce: true })
    assert.equal(texts().filter((text) => text === "once").length, 1)
  })

  it("slow an answer down, answer 429, and stop when taken back", async () => {
    const remove = on.emulator.fault({ method: "POST", delayMs: 150 })
    const began = Date.now()
    await channel.send("slow")
    assert.ok(Date.now() - began >= 145)
    remove()
    on.emulator.fault({ method: "POST", status: 429, times: 1 })
    const limited = Date.now()
    await channel.send("limited")
    assert.ok(Date.now() - limited >= 990)
    const quick = Date.now()
    await channel.send("quick")
    assert.ok(Date.now() - quick < 140)
  })
})
