import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { type Emulator, manualClock, startEmulator } from "@heddle/discord-emulator"
import { connect, identify, ready } from "../support/RawClient.ts"

const caller =
  (emulator: Emulator) =>
  async (method: string, path: string, body?: unknown): Promise<readonly [number, Record<string, unknown>]> => {
    const response = await fetch(`${emulator.api}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return [response.status, text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)]
  }

describe("a clock that a test advances", () => {
  it("runs due timers in order, each at its time", () => {
    const clock = manualClock(0)
    const ran: Array<readonly [string, number]> = []
    clock.after(20, () => ran.push(["late", clock.now()]))
    clock.after(10, () => {
      ran.push(["early", clock.now()])
      clock.after(5, () => ran.push(["between", clock.now()]))
    })
    const cancel = clock.after(12, () => ran.push(["never", clock.now()]))
    cancel()
    clock.advance(30)
    assert.deepEqual(ran, [
      ["early", 10],
      ["between", 15],
      ["late", 20]
    ])
    assert.equal(clock.now(), 30)
  })

  it("makes messages old: their edits have a limit of their own", async () => {
    const clock = manualClock()
    const emulator = await startEmulator({ clock })
    const call = caller(emulator)
    const path = `/channels/${emulator.channelId}/messages`
    const [, sent] = await call("POST", path, { content: "old" })
    const edit = (content: string) => call("PATCH", `${path}/${String(sent["id"])}`, { content })
    clock.advance(3_600_001)
    for (const content of ["1", "2", "3"]) assert.equal((await edit(content))[0], 200)
    const [status, refused] = await edit("4")
    assert.deepEqual([status, refused["code"]], [429, 30_046])
    clock.advance(6000)
    assert.equal((await edit("5"))[0], 200)
    await emulator.close()
  })

  it("locks no caller out where the time of day is set back", async () => {
    let setBackMs = 0
    const clock = { ...manualClock(), now: () => Date.now() - setBackMs }
    const emulator = await startEmulator({
      clock,
      limits: { profile: "fast", buckets: { messages: { limit: 1, windowMs: 60_000 } } }
    })
    const call = caller(emulator)
    const send = () => call("POST", `/channels/${emulator.channelId}/messages`, { content: "x" })
    assert.deepEqual([(await send())[0], (await send())[0]], [200, 429])
    setBackMs = 7_200_000
    assert.equal((await send())[0], 200)
    const [status, refused] = await send()
    assert.equal(status, 429)
    assert.ok(Number(refused["retry_after"]) <= 60)
    await emulator.close()
  })

  it("ends gateway limits and bans", async () => {
    const clock = manualClock()
    const emulator = await startEmulator({
      clock,
      limits: {
        profile: "fast",
        starts: { concurrency: 1, perDay: 1000, windowMs: 5000 },
        gatewayEvents: { limit: 3, windowMs: 60_000 },
        invalidRequests: { limit: 1, windowMs: 600_000 }
      }
    })
    const first = await ready(emulator)
    const second = connect(emulator)
    await second.op(10)
    second.send(identify(emulator, 0))
    await second.op(9)
    clock.advance(5000)
    second.send(identify(emulator, 0))
    await second.event("READY")
    const beat = (times: number): void => {
      for (let count = 0; count < times; count++) first.send({ op: 1, d: null })
    }
    const acknowledged = (times: number) =>
      first.until(() => (first.frames.filter(({ op }) => op === 11).length === times ? true : undefined))
    beat(2)
    await acknowledged(2)
    clock.advance(60_000)
    beat(3)
    await acknowledged(5)
    first.send({ op: 1, d: null })
    assert.equal(await first.closed(), 4008)
    second.socket.close(1000)
    const status = async (token: string) =>
      (await fetch(`${emulator.api}/v10/users/@me`, { headers: { authorization: `Bot ${token}` } })).status
    assert.deepEqual([await status("wrong"), await status(emulator.botToken)], [401, 429])
    clock.advance(600_000)
    assert.equal(await status(emulator.botToken), 200)
    await emulator.close()
  })

  it("allows renames again after ten minutes", async () => {
    const clock = manualClock()
    const emulator = await startEmulator({ clock })
    const call = caller(emulator)
    const rename = async (name: string) => (await call("PATCH", `/channels/${emulator.channelId}`, { name }))[0]
    assert.deepEqual([await rename("a"), await rename("b"), await rename("c")], [200, 200, 429])
    clock.advance(600_000)
    assert.equal(await rename("c"), 200)
    await emulator.close()
  })

  it("forgets a nonce after some minutes", async () => {
    const clock = manualClock()
    const emulator = await startEmulator({ clock, limits: "fast" })
    const call = caller(emulator)
    const send = async () => {
      const body = { content: "once", nonce: "n", enforce_nonce: true }
      return (await call("POST", `/channels/${emulator.channelId}/messages`, body))[1]["id"]
    }
    const first = await send()
    assert.equal(await send(), first)
    clock.advance(6 * 60_000)
    assert.notEqual(await send(), first)
    await emulator.close()
  })
})
