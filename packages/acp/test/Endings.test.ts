import { ConnectionLost } from "@heddle/acp/AcpError"
import * as Connection from "@heddle/acp/Connection"
import type { Body, HttpExchange, Sink } from "@heddle/acp/HttpExchange"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SseTransport from "@heddle/acp/SseTransport"
import type { Inbound, Transport } from "@heddle/acp/Transport"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"

/** A transport of which the test brings the input; `log` has what was sent, and the end. */
const recorded = (inputs: ReadonlyArray<Inbound>, end: Effect.Effect<void, ConnectionLost> = Effect.never) => {
  const log: Array<string> = []
  const transport: Transport = {
    run: (receive) =>
      Effect.zipRight(
        Effect.sync(() => inputs.forEach(receive)),
        end
      ).pipe(Effect.ensuring(Effect.sync(() => log.push("end")))),
    send: (message) =>
      Effect.delay(
        Effect.sync(() => void log.push("method" in message ? message.method : "answer")),
        "10 millis"
      ),
    pause: () => undefined,
    resume: () => undefined,
    reconnect: () => undefined
  }
  return { transport, log }
}

const asked: Inbound = { _tag: "Message", message: JsonRpc.request(1, "stop", {}) }
const connected: Inbound = { _tag: "Connected", fresh: true }

it.live("the answer to a request may close its own connection", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { log, transport } = recorded([connected, asked])
    yield* Connection.make(transport, { onRequest: () => Scope.close(scope, Exit.void) }).pipe(Scope.extend(scope))
    yield* Effect.sleep("50 millis")
    assert.deepStrictEqual(log, ["end"])
  })
)

it.live("what an interrupted request says last is sent before the channel ends", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { log, transport } = recorded([connected, asked])
    const connection: Connection.Connection = yield* Connection.make(transport, {
      onRequest: () => Effect.onInterrupt(Effect.never, () => Effect.ignore(connection.notify("last words", {})))
    }).pipe(Scope.extend(scope))
    yield* Effect.sleep("10 millis")
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(log, ["last words", "end"])
  })
)

it.scopedLive("a handler that throws at the end of the channel ends nothing else", () =>
  Effect.gen(function* () {
    const unhandled: Array<unknown> = []
    const listener = (error: unknown) => void unhandled.push(error)
    const others = process.listeners("unhandledRejection")
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", listener)
    const { transport } = recorded(
      [connected],
      Effect.delay(Effect.fail(new ConnectionLost({ description: "over", sent: true })), "10 millis")
    )
    const connection = yield* Connection.make(transport, {
      onClosed: () => {
        throw new Error("a defect of the handler")
      }
    })
    const error = yield* Effect.timeout(Effect.flip(connection.closed), "1 second")
    yield* Effect.sleep("20 millis")
    process.removeListener("unhandledRejection", listener)
    for (const other of others) process.on("unhandledRejection", other)
    assert.deepStrictEqual(unhandled, [])
    assert.propertyVal(error, "description", "over")
  })
)

it.live("closing a channel that has just broken ends the answers of its connection", () =>
  Effect.gen(function* () {
    const cancelled: Array<string> = []
    const sinks: Array<Sink> = []
    let close: () => void = () => undefined
    const exchange: HttpExchange = async ({ body, method }) => {
      const name = method === "POST" ? String(JSON.parse(body ?? "{}").method) : method
      const stream: Body = {
        read: (sink) => void (method === "GET" && sinks.push(sink)),
        pause: () => undefined,
        resume: () => undefined,
        cancel: () => {
          cancelled.push(name)
          if (name === "second") close()
        }
      }
      return {
        status: 200,
        header: (field) =>
          field === "acp-connection-id" ? "c-1" : field === "content-type" ? "text/event-stream" : undefined,
        cookies: [],
        body: stream
      }
    }
    const value = { link: "https://example.com/acp", token: Redacted.make("token") }
    const ticket = { current: Effect.succeed(value), renew: () => Effect.succeed(value) }
    const transport = SseTransport.make({ ticket, exchange })
    const fiber = yield* Effect.fork(transport.run(() => undefined))
    yield* Effect.sleep("10 millis")
    yield* transport.send(JsonRpc.notification("first", {}))
    yield* transport.send(JsonRpc.notification("second", {}))
    yield* Effect.sleep("10 millis")
    close = () => fiber.unsafeInterruptAsFork(fiber.id())
    sinks[0]?.end()
    yield* Fiber.await(fiber)
    yield* Effect.sleep("10 millis")
    assert.includeMembers(cancelled, ["first", "second"])
  })
)
