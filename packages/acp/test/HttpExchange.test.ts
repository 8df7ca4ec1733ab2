import { fromFetch } from "@heddle/acp/HttpExchange"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import * as Transport from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { rawServer, type Request, said, saying, streaming } from "./fixtures/RawServer.ts"
import { isMessage, recorded, secret, texts } from "./fixtures/RecordedTransport.ts"

describe.concurrent.each([
  ["fetch", fromFetch()],
  ["undici", UndiciExchange.make()]
] as const)("A channel over %s", (_, exchange) => {
  it.scopedLive("opens the stream first and names its connection in every message", () =>
    Effect.gen(function* () {
      const { server, transport, until } = yield* recorded(
        ({ method, response }) => {
          if (method === "GET") streaming(response).write(":ok\n\n")
          else response.writeHead(202).end()
        },
        { exchange }
      )
      yield* until(({ _tag }) => _tag === "Connected")
      yield* transport.send(JsonRpc.notification("told", {}))
      assert.deepStrictEqual(
        server.requests.map(({ headers, method }) => [
          method,
          headers.accept,
          headers["acp-connection-id"],
          headers["content-type"],
          headers.authorization
        ]),
        [
          ["GET", "text/event-stream", undefined, undefined, `Bearer ${secret}`],
          ["POST", "application/json, text/event-stream", "connection-1", "application/json", `Bearer ${secret}`]
        ]
      )
    })
  )

  it.scopedLive("receives what answers a message: nothing, JSON, a batch or an event stream", () =>
    Effect.gen(function* () {
      const answers = [
        (response: Request["response"]) => response.writeHead(204).end(),
        (response: Request["response"]) => response.writeHead(200, { "Content-Type": "text/plain" }).end(said("json")),
        (response: Request["response"]) => response.writeHead(200).end(`[${said("batch 1")}, ${said("batch 2")}]`),
        (response: Request["response"]) =>
          response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`:ok\n\n${saying("event")}`),
        (response: Request["response"]) => response.writeHead(200).end(said("x".repeat(5000)))
      ]
      const { got, transport, until } = yield* recorded(
        ({ method, response }, n) => {
          if (method === "GET") streaming(response).write(":ok\n\n")
          else answers[n - 1]?.(response)
        },
        { exchange, maxMessageSize: 1000 }
      )
      yield* until(({ _tag }) => _tag === "Connected")
      for (const _ of answers) yield* transport.send(JsonRpc.notification("told", {}))
      yield* until(isMessage, 4)
      yield* until(({ _tag }) => _tag === "Skipped")
      assert.sameMembers(texts(got), ["json", "batch 1", "batch 2", "event"])
      assert.deepStrictEqual(
        got.flatMap((inbound) => (inbound._tag === "Skipped" ? [inbound.reason] : [])),
        ["TooLarge"]
      )
    })
  )

  for (const [name, newline] of [
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"]
  ] as const) {
    it.scopedLive(`reads lines that end in ${name}, cut anywhere, and leaves out what is no message`, () =>
      Effect.gen(function* () {
        const { got, until } = yield* recorded(
          async ({ response }) => {
            streaming(response)
            const bytes = Buffer.from(
              [
                "\uFEFF: hello",
                `data: ${said("žluť 🐎")}`,
                "",
                "event: other",
                `data: ${said("not for us")}`,
                "",
                "nonsense",
                "data: [1, 2]",
                "",
                "data: {broken",
                "",
                'data: {"jsonrpc":"2.0",',
                'data: "method":"said","params":{"text":"two lines"}}',
                "",
                `data: ${said("x".repeat(3000))}`,
                "",
                `data: ${said("after")}`,
                "",
                ""
              ].join(newline)
            )
            for (let at = 0; at < bytes.length; at += 7) {
              if (!response.write(bytes.subarray(at, at + 7))) {
                await new Promise((resolve) => response.once("drain", resolve))
              }
              if (at % 70 === 0) await new Promise(setImmediate)
            }
          },
          { exchange, maxMessageSize: 1000 }
        )
        yield* until(isMessage, 3)
        assert.deepStrictEqual(texts(got), ["žluť 🐎", "two lines", "after"])
        assert.deepStrictEqual(
          got.flatMap((inbound) => (inbound._tag === "Skipped" ? [inbound.reason] : [])),
          ["NotJsonRpc", "NotJsonRpc", "TooLarge"]
        )
      })
    )
  }

  it.scopedLive("takes the same connection up after the event it had, and waits as long as the server asks", () =>
    Effect.gen(function* () {
      const { got, server, until } = yield* recorded(
        ({ response }, n) => {
          streaming(response, "connection-1")
          if (n === 1) response.end(`retry: 400\n\n${saying("one", 7)}`)
          else response.write(saying("two", 8))
        },
        { exchange, backoff: { first: "10 millis", longest: "5 seconds" } }
      )
      yield* until(isMessage, 2)
      const [first, second] = server.requests
      assert.deepInclude(second?.headers, { "acp-connection-id": "connection-1", "last-event-id": "7" })
      assert.isAtLeast((second?.at ?? 0) - (first?.at ?? 0), 390)
      assert.deepStrictEqual(
        got.map((inbound) => (inbound._tag === "Connected" ? `Connected, fresh: ${inbound.fresh}` : inbound._tag)),
        ["Connected, fresh: true", "Message", "Interrupted", "Connected, fresh: false", "Message"]
      )
    })
  )

  it.scopedLive("makes a new connection when the old one stays taken", () =>
    Effect.gen(function* () {
      const { server, until } = yield* recorded(
        ({ headers, response }, n) => {
          if (n === 1) streaming(response).end(saying("one", 1))
          else if (headers["acp-connection-id"] !== undefined) response.writeHead(409).end()
          else streaming(response, "connection-2").write(saying("two"))
        },
        { exchange }
      )
      yield* until((inbound) => inbound._tag === "Connected" && inbound.fresh, 2)
      const conflicts = server.requests.filter(({ response }) => response.statusCode === 409)
      assert.isAtLeast((conflicts.at(-1)?.at ?? 0) - (conflicts[0]?.at ?? 0), 1500)
      assert.isUndefined(server.requests.at(-1)?.headers["last-event-id"])
    })
  )

  it.scopedLive("gives up a server that accepts and does not answer, and asks again", () =>
    Effect.gen(function* () {
      const { got, server, until } = yield* recorded(
        ({ response }, n) => {
          if (n > 1) streaming(response).write(saying("late"))
        },
        { exchange, headTimeout: "200 millis" }
      )
      yield* until(isMessage)
      assert.deepStrictEqual(
        got.map(({ _tag }) => _tag),
        ["Interrupted", "Connected", "Message"]
      )
      assert.isTrue(server.requests[0]?.response.destroyed)
    })
  )

  it.scopedLive("gives up an answer to a message that does not end, or is too large", () =>
    Effect.gen(function* () {
      const { server, transport, until } = yield* recorded(
        ({ method, response }, n) => {
          if (method === "GET") return void streaming(response).write(":ok\n\n")
          response.writeHead(200, { "content-type": "application/json" })
          // One that says something now and then, one that says all it can.
          if (n === 1) {
            const pulse = setInterval(() => response.write(" "), 20)
            response.on("close", () => clearInterval(pulse))
          } else {
            const more = () => {
              while (!response.destroyed && response.write("x".repeat(100_000)));
            }
            response.on("drain", more)
            more()
          }
        },
        { exchange, headTimeout: "50 millis", maxMessageSize: 1_000_000 }
      )
      yield* until((inbound) => inbound._tag === "Connected")
      const post = (id: number) => transport.send(JsonRpc.request(id, "session/list", {}))
      const gone = (n: number) =>
        Effect.async<void>((resume) => {
          const response = server.requests.filter(({ method }) => method === "POST")[n]?.response
          if (response?.closed === true) resume(Effect.void)
          else response?.once("close", () => resume(Effect.void))
        })
      const error = yield* Effect.flip(post(1))
      assert.deepInclude(error, { _tag: "ConnectionLost", sent: true })
      yield* gone(0)
      yield* post(2)
      yield* until((inbound) => inbound._tag === "Skipped" && inbound.reason === "TooLarge")
      yield* gone(1)
    }).pipe(Effect.timeout("10 seconds"))
  )

  it.scopedLive("waits longer each time, up to its limit", () =>
    Effect.gen(function* () {
      const { server } = yield* recorded(({ response }) => void response.writeHead(503).end(), {
        exchange,
        backoff: { first: "40 millis", longest: "160 millis" }
      })
      yield* server.asked("GET", 6)
      const waits = server.requests.slice(1).map(({ at }, n) => at - (server.requests[n]?.at ?? 0))
      for (const [n, least] of [30, 60, 120, 120, 120].entries()) assert.isAtLeast(waits[n] ?? 0, least - 2)
    })
  )

  for (const status of [403, 404, 410]) {
    it.scopedLive(`ends when ${status} stays after a fresh ticket`, () =>
      Effect.gen(function* () {
        const { running, server } = yield* recorded(({ response }) => void response.writeHead(status).end(), {
          exchange
        })
        const error = yield* Effect.flip(Fiber.join(running))
        assert.deepInclude(error, { _tag: "ChannelRefused", status })
        assert.isAtMost(server.requests.length, 3)
      })
    )
  }

  it.scopedLive("takes the token nowhere else, neither with the stream nor with a message", () =>
    Effect.gen(function* () {
      const elsewhere = yield* rawServer(({ response }) => void response.writeHead(200).end())
      const away = (response: Request["response"]) =>
        void response.writeHead(307, { Location: elsewhere.link }).end("moved")
      const stream = yield* recorded(({ response }) => away(response), { exchange })
      assert.deepInclude(yield* Effect.flip(Fiber.join(stream.running)), { _tag: "ChannelRefused", status: 307 })
      const message = yield* recorded(
        ({ method, response }) => {
          if (method === "GET") streaming(response).write(":ok\n\n")
          else away(response)
        },
        { exchange }
      )
      yield* message.until(({ _tag }) => _tag === "Connected")
      const error = yield* Effect.flip(message.transport.send(JsonRpc.notification("told", {})))
      assert.strictEqual(error._tag, "ChannelRefused")
      assert.strictEqual(elsewhere.requests.length, 0)
    })
  )

  it.scopedLive("says nothing of the token when it fails, neither in errors nor in spans", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const native = yield* Effect.tracer
      const tracer = Tracer.make({
        context: native.context,
        span: (...span) => {
          const made = native.span(...span)
          spans.push(made)
          return made
        }
      })
      const { error, got } = yield* Effect.gen(function* () {
        const { got, transport, until } = yield* recorded(
          ({ method, response }) => {
            if (method === "GET") streaming(response).write(":ok\n\n")
            else response.destroy()
          },
          { exchange }
        )
        yield* until(({ _tag }) => _tag === "Connected")
        return { error: yield* Effect.flip(transport.send(JsonRpc.request(1, "asked", {}))), got }
      }).pipe(Effect.withTracer(tracer))
      assert.strictEqual(error._tag, "ConnectionLost")
      if (error._tag === "ConnectionLost") assert.isTrue(error.sent)
      assert.include(
        spans.map(({ name }) => name),
        "SseTransport.send"
      )
      const told = inspect([error, got, spans], { depth: 20, showHidden: true }) + JSON.stringify([error, got])
      assert.notInclude(told, secret)
    })
  )

  it.scopedLive("reads no faster than its consumer, and loses no data", () =>
    Effect.gen(function* () {
      const total = 2000
      const filling = "x".repeat(20_000)
      let written = 0
      const stalled = yield* Deferred.make<void>()
      const server = yield* rawServer(async ({ response }) => {
        streaming(response)
        for (let n = 0; n < total; n++) {
          written++
          if (response.write(saying(`${n} ${filling}`))) continue
          const timer = setTimeout(() => Deferred.unsafeDone(stalled, Effect.void), 300)
          await new Promise((resolve) => response.once("drain", resolve))
          clearTimeout(timer)
        }
      })
      const ticket = yield* Ticket.make(Effect.sync(() => ({ link: server.link, token: Redacted.make(secret) })))
      // Held back, a stream is silent by right: it must not count as broken.
      const transport = SseTransport.make({ ticket, exchange, silence: "300 millis" })
      let taken = 0
      const numbers = yield* Transport.toStream(transport, 10).pipe(
        Stream.tap(() => (++taken === 5 ? Deferred.await(stalled) : Effect.void)),
        Stream.tap(() => (taken === 5 ? Effect.sync(() => assert.isBelow(written, total / 2)) : Effect.void)),
        Stream.tap(() => (taken === 5 ? Effect.sleep("500 millis") : Effect.void)),
        Stream.filterMap((inbound) => Chunk.head(Chunk.fromIterable(texts([inbound])))),
        Stream.take(total),
        Stream.map((text) => Number.parseInt(text)),
        Stream.runCollect
      )
      assert.deepStrictEqual(
        [...numbers],
        Array.from({ length: total }, (_, n) => n)
      )
      assert.strictEqual(server.requests.filter(({ method }) => method === "GET").length, 1)
    })
  )
})
