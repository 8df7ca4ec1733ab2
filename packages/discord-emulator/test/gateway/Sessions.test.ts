import assert from "node:assert/strict"
import { closeSync, openSync, readFileSync } from "node:fs"
import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import { Events, GatewayIntentBits } from "discord.js"
import { afterEach, beforeEach, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"
import { spawnEmulator } from "../support/Cli.ts"
import { connect, contents, identify, ready, resume, resumed, sessionOf } from "../support/RawClient.ts"

describe("a session", () => {
  let emulator: Emulator
  beforeEach(async () => {
    emulator = await startEmulator({ limits: "fast" })
  })
  afterEach(() => emulator.close())

  it("is replayed from any number that is still kept, and refused below", async () => {
    const first = await ready(emulator, GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessageTyping)
    const { id } = sessionOf(first)
    first.socket.terminate()
    for (let count = 0; count < 10_005; count++) void emulator.user().typing(emulator.channelId)
    assert.equal((await resumed(emulator, id, 2)).frames.find(({ op }) => op === 9)?.d, false)
    const again = await resumed(emulator, id, 9000)
    const numbers = again.frames.flatMap(({ s }) => s ?? [])
    assert.deepEqual([numbers[0], numbers.length], [9001, 10_007 - 9000 + 1])
    assert.ok(numbers.every((number, index) => number === 9001 + index))
  })

  it("ends with close codes 1000 and 1001, and with a number that was never given", async () => {
    for (const code of [1000, 1001]) {
      const raw = await ready(emulator)
      raw.socket.close(code)
      await raw.closed()
      const { id, sequence } = sessionOf(raw)
      assert.equal((await resumed(emulator, id, sequence)).frames.find(({ op }) => op === 9)?.d, false)
    }
    const raw = await ready(emulator)
    const { id, sequence } = sessionOf(raw)
    const ahead = connect(emulator)
    await ahead.op(10)
    ahead.send(resume(emulator, id, sequence + 1))
    assert.equal(await ahead.closed(), 4007)
  })

  it("goes over to the newer connection when both are open", async () => {
    const old = await ready(emulator)
    const { id, sequence } = sessionOf(old)
    const fresh = await resumed(emulator, id, sequence)
    await old.closed()
    await emulator.user().send(emulator.channelId, "to the new one")
    await fresh.event("MESSAGE_CREATE")
    assert.deepEqual([contents(old), contents(fresh)], [[], ["to the new one"]])
  })

  it("loses a connection that takes nothing before it costs too much", async () => {
    const users = Array.from({ length: 3000 }, (_, index) => `Person ${index}`)
    const crowded = await startEmulator({ limits: "fast", users })
    const raw = await ready(crowded, GatewayIntentBits.Guilds | GatewayIntentBits.GuildPresences)
    raw.socket.pause()
    // A guild of this size is more than a megabyte each time it comes back.
    for (let count = 0; crowded.presence().status === "online" && count < 200; count++) {
      crowded.guildOutage()()
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(crowded.presence().status, "offline")
    raw.socket.terminate()
    await crowded.close()
  })

  it("costs nothing any more when a client of zlib-stream vanishes in the middle of something", async () => {
    const raw = await ready(emulator, GatewayIntentBits.GuildMessageTyping, {}, "&encoding=json&compress=zlib-stream")
    for (let count = 0; count < 3000; count++) void emulator.user().typing(emulator.channelId)
    const gone = emulator.waitFor(() => emulator.presence().status === "offline", { what: "the end of the client" })
    raw.socket.terminate()
    await gone
    await wait(50)
    const before = performance.eventLoopUtilization()
    await wait(300)
    assert.ok(performance.eventLoopUtilization(before).utilization < 0.5)
  })

  it("survives a resumable INVALID_SESSION, and ends with another", async () => {
    const raw = await ready(emulator)
    const { id, sequence } = sessionOf(raw)
    emulator.invalidateSessions({ resume: true })
    assert.equal((await raw.op(9)).d, true)
    const again = await resumed(emulator, id, sequence)
    assert.ok(again.frames.some(({ t }) => t === "RESUMED"))
    emulator.invalidateSessions()
    assert.equal((await again.op(9)).d, false)
    assert.ok((await resumed(emulator, id, sequence)).frames.some(({ op }) => op === 9))
  })

  it("answers a request for a heartbeat", async () => {
    const client = await login(emulator)
    const before = client.ws.shards.first()?.lastPingTimestamp
    await wait(5)
    emulator.requestHeartbeat()
    await emulator.waitFor(() => client.ws.shards.first()?.lastPingTimestamp !== before, { what: "a heartbeat" })
    await client.destroy()
  })
})

describe("a silent connection", () => {
  it("is replaced by discord.js, which resumes and receives the missed events", async () => {
    const emulator = await startEmulator({ limits: "fast", heartbeatMs: 150 })
    const client = await login(emulator)
    const heard: Array<string> = []
    client.on(Events.MessageCreate, ({ content }) => heard.push(content))
    const back = new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()))
    emulator.silenceGateway()
    await emulator.user().send(emulator.channelId, "into the silence")
    await back
    await emulator.waitFor(() => heard.length > 0, { what: "the message" })
    assert.deepEqual(heard, ["into the silence"])
    await client.destroy()
    await emulator.close()
  })
})

describe("sessions of a data folder", () => {
  let data: string
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "discord-emulator-"))
  })
  afterEach(() => rm(data, { recursive: true, force: true }))

  const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 3)

  it(
    `give after kill -9 what the client missed, each thing once, ${rounds} times over`,
    { timeout: rounds * 5000 },
    async () => {
      let child = await spawnEmulator(["--data", data, "--limits", "fast"])
      let raw = await ready(child.ready)
      const { id } = sessionOf(raw)
      let sequence = 0
      const heard: Array<unknown> = []
      const acknowledged: Array<string> = []
      for (let round = 0; round < rounds; round++) {
        const { api, botToken, channelId } = child.ready
        const writing = (async () => {
          for (let count = 0; ; count++) {
            const content = `${round}.${count}`
            const answer = await fetch(`${api}/v10/channels/${channelId}/messages`, {
              method: "POST",
              headers: { authorization: `Bot ${botToken}`, "content-type": "application/json" },
              body: JSON.stringify({ content })
            })
            if (!answer.ok) return
            acknowledged.push(content)
          }
        })().catch(() => "the process is gone")
        // At another moment in each round; every second time there is no connection by then.
        await raw.until(() => (contents(raw).length > round * 7 ? true : undefined))
        if (round % 2 === 1) raw.socket.terminate()
        await wait(round % 5)
        child.kill("SIGKILL")
        await child.exited
        await writing
        await raw.closed()
        sequence = Math.max(sequence, sessionOf(raw).sequence)
        heard.push(...contents(raw))
        child = await spawnEmulator(["--data", data, "--limits", "fast"])
        raw = await resumed(child.ready, id, sequence)
        assert.ok(raw.frames.some(({ t }) => t === "RESUMED"))
      }
      const { api, botToken, channelId } = child.ready
      heard.push(...contents(raw))
      assert.deepEqual(
        acknowledged.filter((content) => !heard.includes(content)),
        []
      )
      assert.equal(new Set(heard).size, heard.length)
      const stored = await fetch(`${api}/v10/channels/${channelId}/messages?limit=100`, {
        headers: { authorization: `Bot ${botToken}` }
      })
      const newest = ((await stored.json()) as ReadonlyArray<{ content: string }>).map(({ content }) => content)
      assert.deepEqual(newest.toReversed(), heard.slice(-newest.length))
      child.kill("SIGTERM")
      await child.exited
    }
  )

  it("receive the last change when the process ended before its event", async () => {
    const first = await startEmulator({ data, limits: "fast" })
    const raw = await ready(first)
    const { id } = sessionOf(raw)
    await first.user().send(first.channelId, "told")
    await raw.event("MESSAGE_CREATE")
    const { sequence } = sessionOf(raw)
    await first.close()
    const log = join(data, "events.jsonl")
    const [told = ""] = (await readFile(log, "utf8")).split("\n").filter((line) => line.includes('"told"'))
    const { kind, value } = JSON.parse(told) as { kind: string; value: { id: string } }
    const untold = { kind, value: { ...value, id: String(BigInt(value.id) + 1n), content: "untold" } }
    await appendFile(log, `${JSON.stringify(untold)}\n`)
    for (let run = 0; run < 2; run++) {
      const again = await startEmulator({ data, limits: "fast" })
      assert.deepEqual(contents(await resumed(again, id, sequence)), ["untold"])
      await again.close()
    }
  })

  it("end when their client closes the connection", async () => {
    const emulator = await startEmulator({ data, limits: "fast" })
    const raw = await ready(emulator)
    assert.equal((await readdir(join(data, "sessions"))).length, 1)
    raw.socket.close(1000)
    await raw.closed()
    await emulator.waitFor(() => emulator.presence().status === "offline")
    assert.deepEqual(await readdir(join(data, "sessions")), [])
    await emulator.close()
  })

  it("are gone once they were invalidated, and their connection can identify anew", async () => {
    const emulator = await startEmulator({ data, limits: "fast" })
    const raw = await ready(emulator)
    emulator.invalidateSessions()
    assert.equal((await raw.op(9)).d, false)
    assert.equal(emulator.presence().status, "offline")
    assert.deepEqual(await readdir(join(data, "sessions")), [])
    raw.send(identify(emulator, 0))
    await raw.until(() => (raw.frames.filter(({ t }) => t === "READY").length === 2 ? true : undefined))
    assert.equal((await readdir(join(data, "sessions"))).length, 1)
    emulator.invalidateSessions()
    raw.socket.close(1000)
    await raw.closed()
    await emulator.close()
  })

  it("write nothing into files that are opened after their end", async () => {
    const emulator = await startEmulator({ data, limits: "fast" })
    const raw = await ready(emulator)
    emulator.invalidateSessions()
    await raw.op(9)
    // These get the numbers that have become free.
    const others = [0, 1, 2, 3].map((count) => join(data, `other-${count}`))
    const opened = others.map((file) => openSync(file, "w"))
    raw.send({ op: 3, d: { status: "idle", activities: [], since: null, afk: false } })
    assert.equal(await raw.closed(), 4003)
    assert.deepEqual(
      others.map((file) => readFileSync(file, "utf8")),
      ["", "", "", ""]
    )
    for (const file of opened) closeSync(file)
    await emulator.close()
  })

  it("keep text with every kind of line break", async () => {
    const first = await startEmulator({ data, limits: "fast" })
    const raw = await ready(first)
    const { id, sequence } = sessionOf(raw)
    const texts = ["one \u2028 two", "three \u2029 four", "five\r\nsix", "seven"]
    for (const text of texts) await first.user().send(first.channelId, text)
    await raw.until(() => (contents(raw).length === texts.length ? true : undefined))
    await first.close()
    const again = await startEmulator({ data, limits: "fast" })
    const back = await resumed(again, id, sequence)
    assert.deepEqual(contents(back), texts)
    const { sequence: newest } = sessionOf(back)
    assert.ok(newest > sequence)
    await again.close()
  })

  it("do not keep more than can be replayed", async () => {
    const emulator = await startEmulator({ data, limits: "fast" })
    const raw = await ready(emulator, GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessageTyping)
    const { id } = sessionOf(raw)
    for (let count = 0; count < 21_000; count++) void emulator.user().typing(emulator.channelId)
    raw.socket.terminate()
    await emulator.close()
    const [file = ""] = await readdir(join(data, "sessions"))
    const lines = (await readFile(join(data, "sessions", file), "utf8")).split("\n").length
    assert.ok(lines > 10_000 && lines < 20_002, String(lines))
    const again = await startEmulator({ data, limits: "fast" })
    const back = await resumed(again, id, 20_990)
    assert.equal(back.frames.filter(({ t }) => t === "TYPING_START").length, 21_002 - 20_990)
    await again.close()
  })
})

describe("identifying too often", () => {
  it("invalidates within five seconds on the same key, and resets the token above the limit of the day", async () => {
    const lines: Array<string> = []
    // A busy machine may take most of a second between two steps.
    const windowMs = 2000
    const emulator = await startEmulator({
      limits: { profile: "fast", starts: { perDay: 3, concurrency: 2, windowMs } },
      log: (line) => lines.push(line)
    })
    const old = emulator.botToken
    const limit = async () => {
      const answer = await fetch(`${emulator.api}/v10/gateway/bot`, {
        headers: { authorization: `Bot ${emulator.botToken}` }
      })
      return ((await answer.json()) as { session_start_limit: { remaining: number; max_concurrency: number } })
        .session_start_limit
    }
    const third = connect(emulator)
    await third.op(10)
    const first = await ready(emulator, 0, { shard: [0, 3] })
    third.send(identify(emulator, 0, { shard: [2, 3] }))
    assert.equal((await third.op(9)).d, false)
    await ready(emulator, 0, { shard: [1, 3] })
    await wait(windowMs + 10)
    third.send(identify(emulator, 0, { shard: [2, 3] }))
    await third.event("READY")
    assert.deepEqual(
      { ...(await limit()), reset_after: 0 },
      { total: 3, remaining: 0, reset_after: 0, max_concurrency: 2 }
    )
    await wait(windowMs + 10)
    const fourth = connect(emulator)
    await fourth.op(10)
    fourth.send(identify(emulator, 0))
    await Promise.all([first.closed(), fourth.closed()])
    assert.notEqual(emulator.botToken, old)
    assert.match(lines.join("\n"), /its token is reset/)
    assert.equal(
      (await fetch(`${emulator.api}/v10/users/@me`, { headers: { authorization: `Bot ${old}` } })).status,
      401
    )
    await emulator.close()
  })
})
