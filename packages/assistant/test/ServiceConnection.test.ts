import { assert, describe, it } from "@effect/vitest"
import * as ServiceConnection from "@heddle/assistant/ServiceConnection"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"

/** A service whose first stream is one event that never ends, and that notes how much of it was read. */
const endlessService = Effect.gen(function* () {
  const sent = { bytes: 0, streams: 0 }
  const server = Http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    sent.streams += 1
    if (sent.streams > 1) {
      response.write(`event: welcome\ndata: {"permissionResponse":"reject","pulseMillis":10000}\n\n`)
      return
    }
    const piece = `data: ${"x".repeat(64 * 1024)}\n`
    const write = () => {
      while (!response.destroyed && sent.bytes < 256 * 1024 * 1024) {
        sent.bytes += piece.length
        if (!response.write(piece)) return void response.once("drain", write)
      }
    }
    write()
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  const address = server.address()
  return { sent, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}` }
})

/** A service that refuses the first request of each path with 429, and notes when requests arrive. */
const busyService = Effect.gen(function* () {
  const arrivals = new Map<string, Array<number>>()
  const server = Http.createServer((request, response) => {
    const path = request.url ?? ""
    const times = arrivals.get(path) ?? []
    arrivals.set(path, [...times, performance.now()])
    if (times.length === 0) return response.writeHead(429, { "retry-after": "2" }).end()
    if (!path.endsWith("/events")) return response.writeHead(200).end()
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(`event: welcome\ndata: {"permissionResponse":"reject","pulseMillis":10000}\n\n`)
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { arrivals, url: `http://127.0.0.1:${port}` }
})

describe("a busy service", { timeout: 20_000 }, () => {
  it.scopedLive("gets each request again after the Retry-After of its 429", () =>
    Effect.gen(function* () {
      const { arrivals, url } = yield* busyService
      const connection = ServiceConnection.make({ service: url, token: Redacted.make("oa_as_test"), instance: "one" })
      const welcomed = yield* Deferred.make<void>()
      yield* Effect.forkScoped(connection.listen(() => Deferred.unsafeDone(welcomed, Effect.void)))
      assert.isTrue(yield* connection.send("/messages/one/reply", {}))
      yield* Deferred.await(welcomed)
      assert.strictEqual(arrivals.size, 2)
      for (const [path, [first = 0, second = 0]] of arrivals) assert.isAtLeast(second - first, 1990, path)
    })
  )
})

describe("a service whose event does not end", { timeout: 20_000 }, () => {
  it.scopedLive("is left after a MiB, and asked again", () =>
    Effect.gen(function* () {
      const { sent, url } = yield* endlessService
      const connection = ServiceConnection.make({ service: url, token: Redacted.make("oa_as_test"), instance: "one" })
      const welcomed = yield* Deferred.make<void>()
      yield* Effect.forkScoped(connection.listen(() => Deferred.unsafeDone(welcomed, Effect.void)))
      yield* Deferred.await(welcomed)
      assert.strictEqual(sent.streams, 2)
      // The rest was on its way in the buffers of the sockets.
      assert.isBelow(sent.bytes, 64 * 1024 * 1024)
    })
  )
})
