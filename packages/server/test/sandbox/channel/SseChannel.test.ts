import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { encode } from "@heddle/server/sandbox/channel/Channel"
import { defaults } from "@heddle/server/config/SandboxOptions"
import * as FrameBudget from "@heddle/server/sandbox/channel/FrameBudget"
import * as SseChannel from "@heddle/server/sandbox/channel/SseChannel"
import * as Duration from "effect/Duration"
import { createParser } from "eventsource-parser"
import * as Http from "node:http"
import type { Socket } from "node:net"

const frame = (n: number, size = 0) => encode({ n, padding: "x".repeat(size) })

/** A server whose every request becomes the stream of one channel. */
const serve = async (options: Partial<typeof defaults>) => {
  let closed = 0
  const responses: Array<Http.ServerResponse> = []
  const sockets: Array<Socket> = []
  const channel = SseChannel.make(
    "id",
    { ...defaults, ...options },
    FrameBudget.make(defaults.maxHeld),
    () => (closed += 1)
  )
  const server = Http.createServer((request, response) => {
    const last = Number(request.headers["last-event-id"] ?? 0)
    if (!channel.isResumable(last)) return response.writeHead(410).end()
    responses.push(response)
    response.writeHead(200)
    response.flushHeaders()
    sockets.push(request.socket)
    channel.attach(response, last)
    response.on("close", () => channel.detach(response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const open = (last: number) =>
    new Promise<Http.IncomingMessage>((resolve, reject) => {
      Http.get({ port, host: "127.0.0.1", agent: false, headers: { "last-event-id": String(last) } }, resolve).on(
        "error",
        reject
      )
    })
  /** Reads until a count of events, or to the end. */
  const read = (stream: Http.IncomingMessage, count: number) =>
    new Promise<ReadonlyArray<{ id: string | undefined; n: number }>>((resolve) => {
      const events: Array<{ id: string | undefined; n: number }> = []
      const parser = createParser({
        onEvent: ({ id, data }) => {
          events.push({ id, n: JSON.parse(data).n })
          if (events.length === count) resolve(events)
        }
      })
      stream.on("data", (piece) => parser.feed(String(piece)))
      stream.on("error", () => resolve(events))
      stream.on("close", () => resolve(events))
    })
  return {
    channel,
    open,
    read,
    responses,
    closed: () => closed,
    sockets,
    end: () => {
      channel.close()
      server.close()
      server.closeAllConnections()
    }
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe("SseChannel", () => {
  it("numbers its events and resumes after any stored one", async () => {
    const { channel, open, read, end, responses } = await serve({})
    for (const n of numbers(1, 5)) channel.push(frame(n))
    const first = await open(0)
    assert.deepStrictEqual(
      await read(first, 5),
      numbers(1, 5).map((n) => ({ id: String(n), n }))
    )
    first.destroy()
    for (const n of numbers(6, 9)) channel.push(frame(n))
    assert.deepStrictEqual(
      (await read(await open(3), 6)).map(({ n }) => n),
      numbers(4, 9)
    )
    assert.strictEqual((await open(99)).statusCode, 410)
    for (const last of [0.5, -0.5, Number.NaN, Infinity, 2 ** 60]) {
      assert.isFalse(channel.isResumable(last), String(last))
      assert.strictEqual((await open(last)).statusCode, 410)
    }
    // It ends, no matter after which event it resumes.
    const last = responses.at(-1)
    assert.isDefined(last)
    channel.attach(last, 0.5)
    end()
  })

  it("replaces an older stream by a newer one", async () => {
    const { channel, open, read, end } = await serve({})
    const older = read(await open(0), 99)
    channel.push(frame(1))
    const newer = await open(1)
    assert.deepStrictEqual(
      (await older).map(({ n }) => n),
      [1]
    )
    channel.push(frame(2))
    assert.deepStrictEqual(
      (await read(newer, 1)).map(({ n }) => n),
      [2]
    )
    end()
  })

  it("survives a stream that another party ended", async () => {
    const { channel, open, read, end, responses } = await serve({})
    const first = read(await open(0), 99)
    channel.push(frame(1))
    responses[0]?.end()
    channel.push(frame(2))
    channel.push(frame(3))
    const seen = await first
    assert.deepStrictEqual(
      [...seen, ...(await read(await open(seen.length), 3 - seen.length))].map(({ n }) => n),
      [1, 2, 3]
    )
    end()
  })

  it("keeps a bounded window and refuses to resume from before it", async () => {
    const { channel, open, read, end } = await serve({ resumeWindow: 10_000 })
    const reading = read(await open(0), 300)
    for (const n of numbers(1, 300)) {
      channel.push(frame(n, 1000))
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    assert.strictEqual((await reading).length, 300)
    assert.strictEqual((await open(100)).statusCode, 410)
    assert.deepStrictEqual(
      (await read(await open(295), 5)).map(({ n }) => n),
      numbers(296, 300)
    )
    end()
  })

  it("closes a reader with too large a backlog, in bounded memory", async () => {
    const { channel, open, closed, end } = await serve({ maxUnsent: 1_000_000 })
    const stalled = await open(0)
    stalled.pause()
    let pushed = 0
    while (closed() === 0 && pushed < 1000) {
      channel.push(frame(pushed, 100_000))
      pushed += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.strictEqual(closed(), 1)
    assert.isBelow(pushed, 200)
    end()
    assert.strictEqual(closed(), 1)
  })

  it("keeps thousands of large messages of a stream whose socket has just ended for the next one", async () => {
    const { channel, open, read, closed, end, sockets } = await serve({ maxUnsent: 1e9, resumeWindow: 1e9 })
    await open(0)
    sockets[0]?.end()
    for (const n of numbers(1, 3000)) channel.push(frame(n, 20_000))
    assert.deepStrictEqual(
      (await read(await open(0), 3000)).map(({ n }) => n),
      numbers(1, 3000)
    )
    assert.strictEqual(closed(), 0)
    end()
  })

  it("closes a stalled stream and an abandoned connection", async () => {
    const quick = { heartbeat: Duration.millis(20), stall: Duration.millis(60), resume: Duration.millis(60) }
    const stalling = await serve(quick)
    const reader = await stalling.open(0)
    reader.pause()
    for (const n of numbers(1, 60)) stalling.channel.push(frame(n, 100_000))
    while (stalling.closed() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    stalling.end()
    const left = await serve(quick)
    const gone = await left.open(0)
    gone.destroy()
    while (left.closed() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    left.end()
  })

  it("sends comments while idle, and allows one message above the bound", async () => {
    const { channel, open, read, closed, end } = await serve({ heartbeat: Duration.millis(20), maxUnsent: 1000 })
    const stream = await open(0)
    const text = await new Promise<string>((resolve) => stream.once("data", (piece) => resolve(String(piece))))
    assert.match(text, /^: ping\n\n/)
    const reading = read(stream, 1)
    channel.push(frame(1, 5_000_000))
    assert.strictEqual((await reading).length, 1)
    assert.strictEqual(closed(), 0)
    end()
  })

  it("can be resumed for a minute after its stream", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
    onTestFinished(() => void vi.useRealTimers())
    const { channel, open, closed, end } = await serve({})
    const gone = await open(0)
    gone.destroy()
    while (channel.isAttached()) await new Promise((resolve) => setTimeout(resolve, 5))
    channel.push(frame(1))
    vi.advanceTimersByTime(60_000)
    assert.isTrue(channel.isResumable(0))
    vi.advanceTimersByTime(15_000)
    assert.strictEqual(closed(), 1)
    end()
  })

  it("sends a comment every 15 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const { open, end } = await serve({})
    const stream = await open(0)
    let text = ""
    stream.on("data", (piece) => (text += String(piece)))
    const comments = async (count: number) => {
      while (text.length < count * ": ping\n\n".length) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.strictEqual(text, ": ping\n\n".repeat(count))
    }
    vi.advanceTimersByTime(14_999)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await comments(0)
    vi.advanceTimersByTime(1)
    await comments(1)
    vi.advanceTimersByTime(30_000)
    await comments(3)
    end()
  })
})
