import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Metrics from "@heddle/acp/Metrics"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { saying, streaming } from "./fixtures/RawServer.ts"
import { isMessage, recorded } from "./fixtures/RecordedTransport.ts"

describe("Metrics", () => {
  it.scopedLive("count what channels bring and take, and how often they break", () =>
    Effect.gen(function* () {
      const read = Effect.all({
        received: Metric.value(Metrics.messagesReceived),
        bytes: Metric.value(Metrics.bytesReceived),
        sent: Metric.value(Metrics.messagesSent),
        skipped: Metric.value(Metrics.skipped),
        interruptions: Metric.value(Metrics.interruptions),
        open: Metric.value(Metrics.openChannels)
      })
      const before = yield* read
      const { server, transport, until } = yield* recorded(({ method, response }, n) => {
        if (method !== "GET") response.writeHead(202).end()
        else if (n === 1) streaming(response).end(`${saying("one", 1)}data: nonsense\n\n`)
        else streaming(response).write(saying("two", 2))
      }, {})
      yield* until(isMessage, 2)
      yield* transport.send(JsonRpc.notification("told", {}))
      const after = yield* read
      assert.deepStrictEqual(
        [
          after.received.count - before.received.count,
          after.sent.count - before.sent.count,
          after.skipped.count - before.skipped.count,
          after.interruptions.count - before.interruptions.count,
          after.open.value - before.open.value
        ],
        [2, 1, 1, 1, 1]
      )
      assert.isAtLeast(after.bytes.count - before.bytes.count, (saying("one", 1) + saying("two", 2)).length)
      assert.strictEqual(server.requests.length, 3)
    })
  )
})
