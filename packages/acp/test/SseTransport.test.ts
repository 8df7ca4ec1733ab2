import * as AcpSession from "@heddle/acp/AcpSession"
import { ConnectionLost, TicketError } from "@heddle/acp/AcpError"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import type { Inbound } from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { channel } from "./fixtures/Channel.ts"
import { tickets } from "./fixtures/Tickets.ts"
import { agentText, quick, text } from "./fixtures/Session.ts"

describe.concurrent("SseTransport", () => {
  it.scopedLive("renews a token that ended in the middle of a turn", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const { ticket, count } = yield* tickets(() => server.link)
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      const turn = yield* Effect.fork(session.prompt(text("count 30 10")))
      yield* server.posted("session/prompt")
      server.knobs.tokens = new Set(["token-2"])
      server.cut()
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "end_turn")
      assert.strictEqual(count.fetched, 2)
      assert.deepStrictEqual(
        server.gets.map(({ status }) => status),
        [200, 401, 200]
      )
      assert.strictEqual(agentText(yield* session.state)[0]?.split(" ").length, 31)
    })
  )

  it.scopedLive("connects again when the stream falls silent", () =>
    Effect.gen(function* () {
      const server = yield* channel({ heartbeat: 50 })
      const { ticket } = yield* tickets(() => server.link)
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", silence: "600 millis", ...quick })
      const before = server.gets.length
      server.knobs.muted = true
      const events = yield* session.changes.pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            if (event._tag === "Interrupted") server.knobs.muted = false
          })
        ),
        Stream.takeUntil((event) => event._tag === "Ready"),
        Stream.runCollect
      )
      const interrupted = [...events].find((event) => event._tag === "Interrupted")
      assert.strictEqual(interrupted?.error._tag, "ConnectionLost")
      assert.include(interrupted?.error.message, "heartbeats have stopped")
      assert.isDefined(server.gets[before]?.lastEventId)
    })
  )

  const staysOpen = Effect.fnUntraced(function* (heartbeat: number) {
    const server = yield* channel({ heartbeat })
    const { ticket } = yield* tickets(() => server.link)
    yield* AcpSession.open({ ticket, sessionId: "task-1", silence: "600 millis", ...quick })
    yield* Effect.sleep("1500 millis")
    assert.strictEqual(server.gets.length, 1)
  })

  it.scopedLive("keeps a silent stream that has heartbeats", () => staysOpen(50))

  it.scopedLive("keeps a silent stream that has none", () => staysOpen(60_000))

  it.scopedLive("waits while the server is busy and then goes on", () =>
    Effect.gen(function* () {
      const server = yield* channel({ refuse: [503, 502, 429] })
      const { ticket } = yield* tickets(() => server.link)
      yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      assert.deepStrictEqual(
        server.gets.map(({ status }) => status),
        [503, 502, 429, 200]
      )
    })
  )

  it.scopedLive("tries the same connection for a moment while the server holds its old socket", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const { ticket } = yield* tickets(() => server.link)
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      server.knobs.refuse = [409, 409]
      server.cut()
      yield* session.changes.pipe(
        Stream.filter((event) => event._tag === "Ready"),
        Stream.runHead
      )
      assert.deepStrictEqual(
        server.gets.map(({ status }) => status),
        [200, 409, 409, 200]
      )
      assert.strictEqual(server.posts.filter(({ message }) => message.method === "initialize").length, 1)
    })
  )

  for (const [status, what] of [
    [403, "forbidden"],
    [404, "unknown"],
    [302, "moved"]
  ] as const) {
    it.scopedLive(`ends with a typed error when the channel is ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* channel({ refuse: [status, status, status, status] })
        const { ticket } = yield* tickets(() => server.link)
        const error = yield* Effect.flip(AcpSession.open({ ticket, sessionId: "task-1", ...quick }))
        assert.strictEqual(error._tag, "ChannelRefused")
        if (error._tag === "ChannelRefused") assert.strictEqual(error.status, status)
        assert.isAtMost(server.gets.length, 3)
      })
    )
  }

  it.scopedLive("ends when the task is gone, and says nothing of the token", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const gone = new TicketError({ description: "The task was deleted", gone: true })
      let fetched = 0
      const ticket = yield* Ticket.make(
        Effect.suspend(() =>
          ++fetched === 1 ? Effect.succeed({ link: server.link, token: Redacted.make("token-1") }) : Effect.fail(gone)
        )
      )
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      server.knobs.tokens = new Set()
      server.cut()
      const error = yield* Effect.flip(session.closed)
      assert.deepStrictEqual([error._tag, error.message], [gone._tag, gone.message])
      assert.strictEqual((yield* Effect.flip(session.prompt(text("say no"))))._tag, "TicketError")
      assert.notInclude(JSON.stringify(error) + String(error), "token-1")
    })
  )

  it.scopedLive("does not hang when no server listens at the link", () =>
    Effect.gen(function* () {
      const { ticket } = yield* tickets(() => "http://127.0.0.1:9/acp")
      const error = yield* Effect.flip(
        AcpSession.open({ ticket, sessionId: "task-1", openTimeout: "300 millis", ...quick })
      )
      assert.strictEqual(error._tag, "ConnectionLost")
    })
  )

  for (const when of ["while its stream is open", "while its stream is opened again"] as const) {
    it.scopedLive(`gives up a connection ${when}: it is not resumed, and nothing more is received on it`, () =>
      Effect.gen(function* () {
        const server = yield* channel()
        const { ticket } = yield* tickets(() => server.link)
        const transport = SseTransport.make({ ticket, ...quick })
        const given = new ConnectionLost({ description: "given up", sent: true })
        const inbound = yield* Queue.unbounded<Inbound>()
        const received: Array<Inbound> = []
        yield* Effect.forkScoped(
          transport.run((each) => {
            received.push(each)
            inbound.unsafeOffer(each)
          })
        )
        const next = (tag: Inbound["_tag"]) =>
          Queue.take(inbound).pipe(Effect.repeat({ until: (each) => each._tag === tag }))
        yield* next("Connected")
        server.push({ jsonrpc: "2.0", method: "numbered" })
        yield* next("Message")
        if (when === "while its stream is open") {
          transport.reconnect(given)
          server.push({ jsonrpc: "2.0", method: "stale" })
        } else {
          server.knobs.onGet = () => transport.reconnect(given)
          server.cut()
        }
        assert.deepInclude(yield* next("Connected"), { fresh: true })
        const last = server.gets.at(-1)
        assert.deepStrictEqual([last?.connectionId, last?.lastEventId], [undefined, undefined])
        server.push({ jsonrpc: "2.0", method: "live" })
        yield* next("Message")
        const methods = received.flatMap((each) =>
          each._tag === "Message" && "method" in each.message ? [each.message.method] : []
        )
        assert.deepStrictEqual(methods, ["numbered", "live"])
      })
    )
  }

  it.scopedLive("reads CRLF, a byte order mark and characters cut anywhere", () =>
    Effect.gen(function* () {
      const server = yield* channel({ newline: "\r\n" })
      const { ticket } = yield* tickets(() => server.link)
      const transport = SseTransport.make({ ticket, ...quick })
      const got: Array<Inbound> = []
      const arrived = Effect.async<void>((resume) => {
        const reader = Effect.runFork(
          transport.run((inbound) => {
            got.push(inbound)
            if (inbound._tag === "Connected") {
              const bytes = Buffer.from(
                ': hi\r\nid: 7\r\nevent: message\r\ndata: {"jsonrpc":"2.0","method":"said",\r\ndata: "params":"žluť 🐎"}\r\n\r\nevent: other\r\ndata: x\r\n\r\n'
              )
              for (const byte of bytes) server.raw(Buffer.from([byte]))
            }
            if (inbound._tag === "Message") resume(Effect.void)
          })
        )
        return Fiber.interrupt(reader)
      })
      yield* arrived
      assert.deepStrictEqual(got, [
        { _tag: "Connected", fresh: true },
        { _tag: "Message", message: { jsonrpc: "2.0", method: "said", params: "žluť 🐎" } as never }
      ])
    })
  )
})
