import assert from "node:assert/strict"
import { Events, type TextChannel } from "discord.js"
import { afterAll, afterEach, beforeAll, describe, it } from "vitest"
import { type FaultRule, startEmulator } from "@heddle/discord-emulator"
import { type Stage, stage } from "../support/Bot.ts"
import { connect, contents, ready } from "../support/RawClient.ts"

describe("faults", () => {
  let on: Stage
  let channel: TextChannel
  const taken: Array<() => void> = []
  beforeAll(async () => {
    on = await stage()
    channel = (await on.client.channels.fetch(on.emulator.channelId)) as TextChannel
  })
  afterEach(() => {
    for (const remove of taken.splice(0)) remove()
  })
  afterAll(() => on.close())

  const fault = (rule: FaultRule): void => void taken.push(on.emulator.fault(rule))
  const texts = (): ReadonlyArray<string> => on.emulator.messages(channel.id).map((message) => message.content)
  const get = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${on.emulator.api}/v10${path}`, {
      headers: { authorization: `Bot ${on.emulator.botToken}` },
      ...(signal === undefined ? {} : { signal })
    })

  describe("of requests", () => {
    it("fail before acting: discord.js tries again and the message is there once", async () => {
      fault({ method: "POST", route: /\/messages$/, status: 503, times: 2 })
      await channel.send("patience")
      assert.equal(texts().filter((text) => text === "patience").length, 1)
    })

    it("fail after acting: a plain retry doubles the message, a nonce does not", async () => {
      fault({ method: "POST", route: /\/messages$/, status: 502, after: true, times: 1 })
      await channel.send("twice")
      assert.equal(texts().filter((text) => text === "twice").length, 2)
      fault({ method: "POST", route: /\/messages$/, dropSocket: true, after: true, times: 1 })
      await channel.send({ content: "once", nonce: "once-1", enforceNonce: true })
      assert.equal(texts().filter((text) => text === "once").length, 1)
    })

    it("carry an error code of Discord", async () => {
      fault({ route: /@me$/, status: 400, code: 160006, times: 1 })
      const response = await get("/users/@me")
      assert.deepEqual([response.status, ((await response.json()) as { readonly code: number }).code], [400, 160006])
    })

    it("slow an answer down, answer 429, and stop when taken back", async () => {
      const remove = on.emulator.fault({ method: "POST", delayMs: 150 })
      const began = Date.now()
      await channel.send("slow")
      assert.ok(Date.now() - began >= 145)
      remove()
      fault({ method: "POST", status: 429, times: 1 })
      const limited = Date.now()
      await channel.send("limited")
      assert.ok(Date.now() - limited >= 990)
      const quick = Date.now()
      await channel.send("quick")
      assert.ok(Date.now() - quick < 140)
    })

    it("say whose limit was hit, and when to come back or not", async () => {
      fault({ route: /@me$/, status: 429, scope: "global", retryAfter: 12.5, times: 1 })
      fault({ route: /@me$/, status: 429, scope: "user", retryAfter: false, times: 1 })
      const first = await get("/users/@me")
      assert.deepEqual(
        [first.headers.get("retry-after"), first.headers.get("x-ratelimit-global"), await first.json()],
        ["13", "true", { message: "You are being rate limited.", retry_after: 12.5, global: true }]
      )
      const second = await get("/users/@me")
      assert.deepEqual(
        [second.status, second.headers.get("retry-after"), second.headers.get("x-ratelimit-scope")],
        [429, null, "user"]
      )
    })

    it("lose the answer, late or never", async () => {
      fault({ method: "POST", route: /\/messages$/, noAnswer: true, after: true, times: 1 })
      const sent = fetch(`${on.emulator.api}/v10/channels/${channel.id}/messages`, {
        method: "POST",
        headers: { authorization: `Bot ${on.emulator.botToken}`, "content-type": "application/json" },
        body: '{"content":"unheard"}',
        signal: AbortSignal.timeout(300)
      })
      await assert.rejects(sent, { name: "TimeoutError" })
      assert.equal(texts().filter((text) => text === "unheard").length, 1)
    })

    it("answer with a page, as a proxy does", async () => {
      fault({ route: /@me$/, html: "<h1>Bad gateway</h1>", times: 1 })
      const answer = await get("/users/@me")
      assert.deepEqual(
        [answer.status, answer.headers.get("content-type"), await answer.text()],
        [502, "text/html; charset=UTF-8", "<h1>Bad gateway</h1>"]
      )
    })

    it("hit by count and by chance, the same chance for the same seed", async () => {
      const drawn = async (seed: number): Promise<string> => {
        const emulator = await startEmulator({ limits: "fast", seed })
        emulator.fault({ route: /@me$/, status: 500, skip: 2, probability: 0.5, times: 5 })
        let statuses = ""
        for (let count = 0; count < 20; count++) {
          const headers = { authorization: `Bot ${emulator.botToken}` }
          const { status } = await fetch(`${emulator.api}/v10/users/@me`, { headers })
          statuses += status === 500 ? "x" : "."
        }
        await emulator.close()
        return statuses
      }
      const [first, again, other] = await Promise.all([drawn(7), drawn(7), drawn(8)])
      assert.equal(first, again)
      assert.notEqual(first, other)
      assert.match(first, /^\.\./)
      assert.equal(first.replaceAll(".", "").length, 5)
    })
  })

  describe("of the gateway", () => {
    const heard = async (rule: FaultRule, count: number): Promise<ReadonlyArray<string>> => {
      const got: Array<string> = []
      // What an earlier test sent may still be on its way.
      const mine = `${Math.random()} `
      const listen = ({ content }: { content: string }): void => {
        if (content.startsWith(mine)) got.push(content.slice(mine.length))
      }
      on.client.on(Events.MessageCreate, listen)
      fault(rule)
      for (const content of ["1", "2", "3"]) await on.emulator.user().send(channel.id, `${mine}${content}`)
      await on.emulator.waitFor(() => got.length === count, { what: `${count} events` })
      on.client.off(Events.MessageCreate, listen)
      return got
    }

    it("lose an event", async () => {
      assert.deepEqual(await heard({ event: "MESSAGE_CREATE", drop: true, times: 1 }, 2), ["2", "3"])
    })
    it("send an event twice, as two events", async () => {
      const raw = await ready(on.emulator)
      fault({ event: /^MESSAGE_/, duplicate: true, skip: 1, times: 1 })
      for (const content of ["1", "2", "3"]) await on.emulator.user().send(channel.id, content)
      await raw.until(() => (contents(raw).length === 4 ? true : undefined))
      assert.deepEqual(contents(raw), ["1", "2", "2", "3"])
      assert.equal(new Set(raw.frames.map(({ s }) => s)).size, raw.frames.length)
      raw.socket.close(1000)
    })
    it("send an event late, after younger ones", async () => {
      assert.deepEqual(await heard({ event: "MESSAGE_CREATE", delayMs: 30, times: 1 }, 3), ["2", "3", "1"])
    })

    it("refuse connections and let them wait", async () => {
      fault({ connect: true, status: 503, times: 1 })
      fault({ connect: true, dropSocket: true, times: 1 })
      fault({ connect: true, delayMs: 60, times: 1 })
      assert.equal(await connect(on.emulator).closed(), 1006)
      assert.equal(await connect(on.emulator).closed(), 1006)
      const began = Date.now()
      const raw = await ready(on.emulator)
      assert.ok(Date.now() - began >= 55)
      raw.socket.close(1000)
    })
  })

  it("leave a RESUME unanswered, while heartbeats are acknowledged", async () => {
    const raw = await ready(on.emulator)
    const session = String(raw.frames.find(({ t }) => t === "READY")?.d?.["session_id"])
    raw.socket.terminate()
    fault({ resume: true, noAnswer: true, times: 1 })
    const resume = { op: 6, d: { token: on.emulator.botToken, session_id: session, seq: 1 } }
    const unanswered = connect(on.emulator)
    await unanswered.op(10)
    unanswered.send(resume)
    unanswered.send({ op: 1, d: 1 })
    await unanswered.op(11)
    assert.deepEqual(
      unanswered.frames.map(({ op }) => op),
      [10, 11]
    )
    const answered = connect(on.emulator)
    await answered.op(10)
    answered.send(resume)
    await answered.event("RESUMED")
    for (const { socket } of [unanswered, answered]) socket.close(1000)
  })

  it.each<readonly [unknown, RegExp]>([
    [{}, /does nothing/],
    [{ route: /messages/ }, /does nothing/],
    [{ event: "MESSAGE_CREATE", times: 1 }, /does nothing.*drop/],
    [{ resume: true }, /does nothing.*noAnswer/],
    [{ status: 503, probabilty: 0.5 }, /no "probabilty"/],
    [{ event: "MESSAGE_CREATE", drop: true, status: 500 }, /\(event\) has no "status"/],
    [{ status: 99 }, /"status".*200 to 599/],
    [{ status: 503, probability: 2 }, /from 0 to 1, not 2/],
    [{ status: 503, times: 0 }, /"times"/],
    [{ status: 503, route: "/messages" }, /regular expression/],
    [{ status: 503, scope: "user" }, /belong to status 429/],
    [{ file: /x/, bytesPerSecond: 0 }, /"bytesPerSecond"/],
    [undefined, /is an object/]
  ])("that could not work are refused at once: %j", (rule, sentence) => {
    assert.throws(
      () => on.emulator.fault(rule as FaultRule),
      (error) => error instanceof TypeError && sentence.test(error.message)
    )
  })

  it("of downloads: slow, refused, cut off", async () => {
    const data = Buffer.alloc(4000, "x")
    const { attachments } = await on.emulator.user().send(channel.id, "", [{ name: "a.txt", data }])
    const url = attachments[0]?.url ?? ""
    fault({ file: /a\.txt$/, bytesPerSecond: 20_000, times: 1 })
    const began = Date.now()
    assert.equal((await (await fetch(url)).text()).length, 4000)
    assert.ok(Date.now() - began >= 150, `${Date.now() - began} ms`)
    fault({ file: /a\.txt$/, status: 404, times: 1 })
    assert.equal((await fetch(url)).status, 404)
    fault({ file: /a\.txt$/, dropSocket: true, times: 1 })
    await assert.rejects(fetch(url))
    assert.equal((await fetch(url)).status, 200)
  })
})
