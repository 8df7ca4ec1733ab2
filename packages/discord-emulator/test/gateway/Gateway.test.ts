import assert from "node:assert/strict"
import { Client, Events, GatewayIntentBits, type Message } from "discord.js"
import { describe, it } from "vitest"
import { type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"
import { connect, identify } from "../support/RawClient.ts"

/** Runs a test with an emulator and closes it in every case. */
const withEmulator = async (
  run: (emulator: Emulator) => Promise<void>,
  options: EmulatorOptions = {}
): Promise<void> => {
  const emulator = await startEmulator({ limits: "fast", ...options })
  try {
    await run(emulator)
  } finally {
    await emulator.close()
  }
}

describe("the gateway", () => {
  it("replays missed events after a dropped connection, each once", () =>
    withEmulator(async (emulator) => {
      const client = await login(emulator)
      const heard: Array<string> = []
      client.on(Events.MessageCreate, (message: Message) => heard.push(message.content))
      const you = emulator.user()
      await you.send(emulator.channelId, "1")
      const resumed = new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()))
      emulator.dropGateway()
      await you.send(emulator.channelId, "2")
      await you.send(emulator.channelId, "3")
      await resumed
      await you.send(emulator.channelId, "4")
      await emulator.waitFor(() => heard.includes("4"), { what: "the fourth message" })
      assert.deepEqual(heard, ["1", "2", "3", "4"])
      await client.destroy()
    }))

  it("closes a client whose token was reset", () =>
    withEmulator(async (emulator) => {
      const client = await login(emulator)
      const lost = new Promise<number>((resolve) => client.once(Events.ShardDisconnect, ({ code }) => resolve(code)))
      emulator.dropGateway({ code: 4004 })
      assert.equal(await lost, 4004)
      await client.destroy()
    }))

  it("starts a new session when the old one is gone, and resumes when asked to reconnect", () =>
    withEmulator(async (emulator) => {
      const client = await login(emulator)
      const ready = new Promise<void>((resolve) => client.once(Events.ShardReady, () => resolve()))
      emulator.dropGateway({ resume: false })
      await ready
      const resumed = new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()))
      emulator.reconnectGateway()
      await resumed
      const heard = new Promise<string>((resolve) =>
        client.once(Events.MessageCreate, ({ content }) => resolve(content))
      )
      await emulator.user().send(emulator.channelId, "still there?")
      assert.equal(await heard, "still there?")
      await client.destroy()
    }))

  it("hides content without the message content intent, except for mentions", () =>
    withEmulator(async (emulator) => {
      const client = await login(emulator, { intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages] })
      const heard: Array<string> = []
      client.on(Events.MessageCreate, (message: Message) => heard.push(message.content))
      const you = emulator.user()
      await you.send(emulator.channelId, "private words")
      await you.send(emulator.channelId, `<@${emulator.applicationId}> help`)
      await emulator.waitFor(() => heard.length === 2)
      assert.deepEqual(heard, ["", `<@${emulator.applicationId}> help`])
      await client.destroy()
    }))

  it("makes discord.js reject intents that were not granted, and wrong tokens", () =>
    withEmulator(
      async (emulator) => {
        const refused = new Client({ intents: [GatewayIntentBits.MessageContent], rest: { api: emulator.api } })
        await assert.rejects(refused.login(emulator.botToken), /disallowed intents/i)
        await refused.destroy()
        const wrong = new Client({ intents: [], rest: { api: emulator.api } })
        await assert.rejects(wrong.login("nope"), /invalid token/i)
        await wrong.destroy()
      },
      { refusedIntents: GatewayIntentBits.MessageContent }
    ))

  it("sends only requested events, and interactions always", () =>
    withEmulator(async (emulator) => {
      const raw = connect(emulator)
      await raw.op(10)
      raw.send(identify(emulator, GatewayIntentBits.GuildMessageTyping))
      const ready = await raw.event("READY")
      assert.deepEqual(ready.d?.["guilds"], [{ id: emulator.guildId, unavailable: true }])
      await emulator.user().send(emulator.channelId, "not for you")
      await emulator.user().typing(emulator.channelId)
      await raw.event("TYPING_START")
      assert.deepEqual(
        raw.frames.map(({ op, t }) => t ?? op),
        [10, "READY", "TYPING_START"]
      )
    }))

  it("routes a guild to its shard", () =>
    withEmulator(async (emulator) => {
      const home = Number((BigInt(emulator.guildId) >> 22n) % 2n)
      const shards = await Promise.all(
        [0, 1].map(async (shard) => {
          const raw = connect(emulator)
          await raw.op(10)
          raw.send(identify(emulator, GatewayIntentBits.GuildMessages, { shard: [shard, 2] }))
          await raw.event("READY")
          return raw
        })
      )
      await emulator.user().send(emulator.channelId, "hi")
      await shards[home]?.event("MESSAGE_CREATE")
      assert.equal(
        shards[1 - home]?.frames.some(({ t }) => t === "MESSAGE_CREATE"),
        false
      )
    }))

  it("answers heartbeats and closes silent connections", () =>
    withEmulator(
      async (emulator) => {
        const raw = connect(emulator)
        assert.equal((await raw.op(10)).d?.["heartbeat_interval"], 60)
        raw.send({ op: 1, d: null })
        await raw.op(11)
        assert.equal(await raw.closed(), 4009)
      },
      { heartbeatMs: 60 }
    ))

  const misuses: ReadonlyArray<readonly [string, (emulator: Emulator) => ReadonlyArray<unknown>, number]> = [
    ["rubbish", () => ["{"], 4002],
    ["an unknown opcode", () => [{ op: 99 }], 4001],
    ["a request before identifying", () => [{ op: 8, d: {} }], 4003],
    ["a wrong token", (emulator) => [{ ...identify(emulator, 0), d: { token: "nope", intents: 0 } }], 4004],
    ["identifying twice", (emulator) => [identify(emulator, 0), identify(emulator, 0)], 4005],
    [
      "intents that are none",
      (emulator) => [{ op: 2, d: { token: emulator.botToken, intents: "all", properties: {} } }],
      4013
    ],
    ["an identify without properties", (emulator) => [{ op: 2, d: { token: emulator.botToken, intents: 0 } }], 4002],
    [
      "more than 4096 bytes at once",
      (emulator) => [identify(emulator, 0, { properties: { os: "x".repeat(4096) } })],
      4002
    ],
    ["a shard that cannot be", (emulator) => [identify(emulator, 0, { shard: [2, 2] })], 4010]
  ]
  it.each(misuses)("closes on %s", (_name, frames, code) =>
    withEmulator(async (emulator) => {
      const raw = connect(emulator)
      await raw.op(10)
      for (const frame of frames(emulator)) raw.send(frame)
      assert.equal(await raw.closed(), code)
    })
  )

  it("answers op 9 to a RESUME of an unknown session", () =>
    withEmulator(async (emulator) => {
      const raw = connect(emulator)
      await raw.op(10)
      raw.send({ op: 6, d: { token: emulator.botToken, session_id: "gone", seq: 3 } })
      assert.equal((await raw.op(9)).d, false)
      raw.send(identify(emulator, 1))
      await raw.event("GUILD_CREATE")
    }))
})
