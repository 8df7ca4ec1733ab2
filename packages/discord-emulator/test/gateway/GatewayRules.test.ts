import assert from "node:assert/strict"
import { Client, Events, GatewayDispatchEvents, GatewayIntentBits, PresenceUpdateStatus } from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"
import { connect, contents, identify, messageIntents, ready, sessionOf } from "../support/RawClient.ts"

const { GuildMembers, GuildPresences, Guilds } = GatewayIntentBits

describe("the rules of the gateway", () => {
  const people = Array.from({ length: 2500 }, (_, index) => `Person ${index}`)
  let emulator: Emulator
  const logged: Array<string> = []
  beforeAll(async () => {
    emulator = await startEmulator({
      limits: "fast",
      users: ["You", "Sam", ...people],
      log: (line) => logged.push(line)
    })
  })
  afterAll(() => emulator.close())

  describe("members", () => {
    const chunks = async (intents: number, request: object, count = 1) => {
      const raw = await ready(emulator, intents)
      raw.send({ op: 8, d: { guild_id: emulator.guildId, ...request } })
      const found = await raw.until(() => {
        const got = raw.frames.filter(({ t }) => t === "GUILD_MEMBERS_CHUNK")
        return got.length >= count ? got : undefined
      })
      raw.socket.close(1000)
      return found.map(({ d }) => d as { members: ReadonlyArray<{ user: { id: string; username: string } }> })
    }

    it("are in GUILD_CREATE only with the presences intent", async () => {
      const members = async (intents: number) => {
        const raw = await ready(emulator, intents, { large_threshold: 250 })
        raw.socket.close(1000)
        return (await raw.event("GUILD_CREATE")).d ?? {}
      }
      const few = await members(Guilds | GuildMembers)
      assert.deepEqual(
        (few["members"] as ReadonlyArray<{ user: { id: string } }>).map(({ user }) => user.id),
        [emulator.applicationId]
      )
      assert.deepEqual([few["member_count"], few["large"]], [2503, true])
      const all = await members(Guilds | GuildPresences)
      assert.equal((all["members"] as ReadonlyArray<unknown>).length, 2503)
    })

    it("are sent in chunks of a thousand", async () => {
      const got = await chunks(Guilds | GuildMembers, { query: "", limit: 0, nonce: "all of them" }, 3)
      assert.deepEqual(
        got.map(({ members, ...rest }) => [members.length, rest]),
        [1000, 1000, 503].map((length, index) => [
          length,
          { guild_id: emulator.guildId, chunk_index: index, chunk_count: 3, nonce: "all of them" }
        ])
      )
      const client = await login(emulator, { intents: [Guilds, GuildMembers] })
      assert.equal((await client.guilds.cache.first()?.members.fetch())?.size, 2503)
      await client.destroy()
    })

    it("are found by name and by id", async () => {
      const [named] = await chunks(Guilds, { query: "person 12", limit: 3 })
      assert.deepEqual(
        named?.members.map(({ user }) => user.username),
        ["Person 12", "Person 120", "Person 121"]
      )
      const [many] = await chunks(Guilds, { query: "p", limit: 0 })
      assert.equal(many?.members.length, 100)
      const [byId] = await chunks(Guilds, {
        user_ids: [emulator.user("Sam").id, "100000000000000001"],
        nonce: "x".repeat(33)
      })
      assert.deepEqual(
        { ...byId, members: byId?.members.map(({ user }) => user.username) },
        {
          guild_id: emulator.guildId,
          members: ["Sam"],
          chunk_index: 0,
          chunk_count: 1,
          not_found: ["100000000000000001"]
        }
      )
    })

    it("are lost or late with a fault", async () => {
      const raw = await ready(emulator, Guilds)
      const ask = (nonce: string) =>
        raw.send({ op: 8, d: { guild_id: emulator.guildId, user_ids: [emulator.user().id], nonce } })
      const event = "GUILD_MEMBERS_CHUNK"
      emulator.fault({ event, drop: true, times: 1 })
      emulator.fault({ event, delayMs: 50, times: 1 })
      for (const nonce of ["lost", "late", "told"]) ask(nonce)
      const nonces = () => raw.frames.flatMap(({ d, t }) => (t === event ? [d?.["nonce"]] : []))
      await raw.until(() => (nonces().length === 2 ? true : undefined))
      assert.deepEqual(nonces(), ["told", "late"])
      raw.socket.close(1000)
    })

    it("are not sent without the intent or for an invalid request", async () => {
      const raw = await ready(emulator, Guilds)
      raw.send({ op: 8, d: { guild_id: emulator.guildId, query: "", limit: 0 } })
      raw.send({ op: 8, d: { guild_id: emulator.guildId, query: "sam", limit: 1, nonce: "second" } })
      const { d } = await raw.event("GUILD_MEMBERS_CHUNK")
      assert.equal(d?.["nonce"], "second")
      raw.send({ op: 8, d: { guild_id: emulator.guildId } })
      assert.equal(await raw.closed(), 4001)
    })
  })

  it("sends a guild only to its shard, also in READY", async () => {
    const home = Number((BigInt(emulator.guildId) >> 22n) % 3n)
    for (const shard of [0, 1, 2]) {
      const raw = connect(emulator)
      await raw.op(10)
      raw.send(identify(emulator, Guilds, { shard: [shard, 3] }))
      const { d } = await raw.event("READY")
      assert.deepEqual(d?.["guilds"], shard === home ? [{ id: emulator.guildId, unavailable: true }] : [])
      assert.deepEqual(d?.["shard"], [shard, 3])
      raw.socket.close(1000)
    }
  })

  it("lets discord.js run on several shards", async () => {
    const client = new Client({
      shards: [0, 1, 2],
      shardCount: 3,
      rest: { api: emulator.api },
      intents: [Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent]
    })
    const all = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()))
    await client.login(emulator.botToken)
    await all
    assert.deepEqual([client.ws.shards.size, client.guilds.cache.size], [3, 1])
    const heard = new Promise<number>((resolve) =>
      client.once(Events.MessageCreate, (message) => resolve(message.guild?.shardId ?? -1))
    )
    await emulator.user().send(emulator.channelId, "to one shard")
    assert.equal(await heard, Number((BigInt(emulator.guildId) >> 22n) % 3n))
    await client.destroy()
  })

  it("sends direct messages to the first shard", async () => {
    const shards = await Promise.all(
      [0, 1].map((shard) => ready(emulator, GatewayIntentBits.DirectMessages, { shard: [shard, 2] }))
    )
    const answer = await fetch(`${emulator.api}/v10/users/@me/channels`, {
      method: "POST",
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": "application/json" },
      body: JSON.stringify({ recipient_id: emulator.user("Sam").id })
    })
    const { id } = (await answer.json()) as { id: string }
    await emulator.user("Sam").send(id, "between us")
    await shards[0]?.event("MESSAGE_CREATE")
    assert.deepEqual(shards.map(contents), [["between us"], []])
    for (const { socket } of shards) socket.close(1000)
  })

  it("shows the presence of the bot, and offline without it", async () => {
    const client = await login(emulator, {
      intents: [Guilds, GuildPresences],
      presence: { status: PresenceUpdateStatus.Idle, activities: [{ name: "the rain", type: 2 }] }
    })
    assert.deepEqual([emulator.presence().status, emulator.presence().activities[0]?.["name"]], ["idle", "the rain"])
    const told: Array<string> = []
    client.on(Events.PresenceUpdate, (_, now) => told.push(now.status))
    client.user.setStatus("dnd")
    await emulator.waitFor(() => told.includes("dnd"), { what: "its own presence" })
    assert.equal(emulator.presence().status, "dnd")
    await client.destroy()
    await emulator.waitFor(() => emulator.presence().status === "offline")
    const raw = await ready(emulator)
    raw.send({ op: 3, d: { status: "busy", activities: [], since: null, afk: false } })
    assert.equal(await raw.closed(), 4001)
  })

  it("makes the guild unavailable and available again", async () => {
    const client = await login(emulator)
    const gone = new Promise<void>((resolve) => client.once(Events.GuildUnavailable, () => resolve()))
    const end = emulator.guildOutage()
    await gone
    const back = new Promise<void>((resolve) => client.once(Events.GuildAvailable, () => resolve()))
    end()
    await back
    await client.destroy()
  })

  it.each([
    ["bits that no intent has", { intents: 1 << 17 }, 4013],
    ["no intents", { intents: undefined }, 4013],
    ["more than fit", { intents: 2 ** 40 }, 4013],
    ["a shard that is not one", { shard: "0 of 1" }, 4010],
    ["a presence that is none", { presence: { status: "busy" } }, 4002]
  ])("refuses %s", async (_name, change, code) => {
    const raw = connect(emulator)
    await raw.op(10)
    raw.send(identify(emulator, 0, change))
    assert.equal(await raw.closed(), code)
  })

  it.each([
    ["&encoding=etf", "Only the encoding json is served, not etf."],
    ["&encoding=json&compress=zstd-stream", "Only the compression zlib-stream is served, not zstd-stream."],
    ["", undefined]
  ])("says what it does not speak: %s", async (query, reason) => {
    const raw = connect(emulator, query)
    if (reason === undefined) {
      await raw.op(10)
      return raw.socket.terminate()
    }
    assert.equal(await raw.closed(), 4012)
    assert.equal(raw.reason(), reason)
    assert.ok(logged.some((line) => line.includes(reason)))
  })

  it("compresses the connection or single payloads on request", async () => {
    const stream = await ready(emulator, messageIntents, {}, "&encoding=json&compress=zlib-stream")
    const single = await ready(emulator, messageIntents, { compress: true })
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ${"ä€😀".repeat(index * 10 + 1)}`)
    for (const text of texts) await emulator.user().send(emulator.channelId, text)
    for (const raw of [stream, single]) {
      await raw.until(() => (contents(raw).length === texts.length ? true : undefined))
      assert.deepEqual(contents(raw), texts)
    }
    assert.equal(stream.compressed(), stream.frames.length)
    assert.ok(single.compressed() > 10 && single.compressed() < single.frames.length)
    stream.send({ op: 99 })
    assert.equal(await stream.closed(), 4001)
    single.socket.close(1000)
  })

  it("compresses for discord.js", async () => {
    const compressed: object = { compression: "zlib-stream" }
    const warn = console.warn
    console.warn = () => undefined // That it falls back to single payloads without a native module.
    const client = await login(emulator, { ws: compressed })
    console.warn = warn
    const heard = new Promise<string>((resolve) => client.once(Events.MessageCreate, ({ content }) => resolve(content)))
    await emulator.user().send(emulator.channelId, "long ".repeat(300).trim())
    assert.equal(await heard, "long ".repeat(300).trim())
    await client.destroy()
  })
})

describe("the limits of the gateway", () => {
  it("close a connection above 120 events and limit requests for all members", async () => {
    const emulator = await startEmulator({
      limits: {
        profile: "fast",
        gatewayEvents: { limit: 10, windowMs: 60_000 },
        allMembers: { limit: 1, windowMs: 30_000 }
      }
    })
    const raw = await ready(emulator, Guilds | GuildMembers)
    for (let count = 0; count < 2; count++)
      raw.send({ op: 8, d: { guild_id: emulator.guildId, query: "", limit: 0, nonce: String(count) } })
    const { d } = await raw.event(GatewayDispatchEvents.RateLimited)
    assert.deepEqual([d?.["opcode"], d?.["meta"]], [8, { guild_id: emulator.guildId, nonce: "1" }])
    assert.ok(Number(d?.["retry_after"]) > 29 && Number(d?.["retry_after"]) <= 30)
    for (let count = 0; count < 8; count++) raw.send({ op: 1, d: null })
    assert.equal(await raw.closed(), 4008)
    assert.equal(raw.frames.filter(({ op }) => op === 11).length, 7)
    await emulator.close()
  })

  it("require the recommended number of shards", async () => {
    const emulator = await startEmulator({ limits: "fast", shards: 2 })
    const answer = await fetch(`${emulator.api}/v10/gateway/bot`, {
      headers: { authorization: `Bot ${emulator.botToken}` }
    })
    assert.equal(((await answer.json()) as { shards: number }).shards, 2)
    const raw = connect(emulator)
    await raw.op(10)
    raw.send(identify(emulator, 0))
    assert.equal(await raw.closed(), 4011)
    const both = await ready(emulator, 0, { shard: [1, 2] })
    assert.equal(typeof sessionOf(both).id, "string")
    await emulator.close()
  })
})
