import * as AcpSession from "@heddle/acp/AcpSession"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as StreamableHttpTransport from "@heddle/acp/StreamableHttpTransport"
import type * as Ticket from "@heddle/acp/Ticket"
import type { Transport } from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawServer } from "./fixtures/RawServer.ts"
import { quick } from "./fixtures/Session.ts"
import { tickets } from "./fixtures/Tickets.ts"

type Make = (options: { readonly ticket: Ticket.Ticket["Type"] }) => Transport

/** How a session that a server refuses with this status and body fails. */
const refusedWith = (make: Make, status: number, body: string, type = "application/json") =>
  Effect.gen(function* () {
    const server = yield* rawServer(
      ({ response }) => void response.writeHead(status, { "content-type": type }).end(body)
    )
    const { ticket } = yield* tickets(() => server.link)
    const error = yield* Effect.flip(AcpSession.make(make({ ticket, ...quick }), { sessionId: "task-1" }))
    assert.propertyVal(error, "_tag", "ChannelRefused")
    assert.propertyVal(error, "status", status)
    return error.message
  })

const refuses = (status: number) => `The channel's server refuses with status ${status}`

describe("a refused channel", () => {
  for (const [name, body, words] of [
    ["msg", '{"code":1,"msg":"The sandbox was removed."}', "The sandbox was removed"],
    ["message", '{"message":"one\\nline"}', "one line"],
    ["error_description", '{"error":"gone","error_description":"Too old"}', "Too old"],
    ["error", '{"error":"forbidden"}', "forbidden"],
    ["a JSON-RPC error", '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"No agent"}}', "No agent"],
    ["plain text", "Not for\r\nyou\n", "Not for you"],
    ["a long text", "word ".repeat(200), `${"word ".repeat(31)}word…`]
  ] as const) {
    it.scopedLive(`repeats the words of ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refusedWith(SseTransport.make, 403, body), `${refuses(403)}: ${words}`)
        assert.strictEqual(yield* refusedWith(StreamableHttpTransport.make, 403, body), `${refuses(403)}: ${words}`)
      })
    )
  }

  for (const body of ["", "<html><title>Nope</title>Nope</html>", '{"msg":"<b>Nope</b>"}', "{broken", "[1]", "42"]) {
    it.scopedLive(`has no words where the body is ${JSON.stringify(body)}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refusedWith(SseTransport.make, 403, body, "text/html"), refuses(403))
        assert.strictEqual(yield* refusedWith(StreamableHttpTransport.make, 403, body, "text/html"), refuses(403))
      })
    )
  }

  it.scopedLive("repeats neither the token nor a link", () =>
    Effect.gen(function* () {
      const body = '{"msg":"token-1, token-2 and token-3 at https://box.example/acp?x=1 are over"}'
      for (const make of [SseTransport.make, StreamableHttpTransport.make]) {
        for (const status of [401, 403, 404]) {
          const message = yield* refusedWith(make, status, body)
          assert.include(message, "are over")
          assert.notMatch(message, /box\.example|:\/\//)
        }
      }
      assert.notInclude(yield* refusedWith(SseTransport.make, 400, body), "token-1")
    })
  )

  for (const status of [400, 405, 406, 415]) {
    it.scopedLive(`names the other transport when the event stream is refused with ${status}`, () =>
      Effect.gen(function* () {
        const message = yield* refusedWith(SseTransport.make, status, '{"error":"Acp-Connection-Id header required"}')
        assert.strictEqual(
          message,
          `${refuses(status)}: Acp-Connection-Id header required. The server may speak streamable HTTP: use StreamableHttpTransport`
        )
      })
    )
  }

  for (const status of [400, 404, 405, 409]) {
    it.scopedLive(`names the other transport when initialize is refused with ${status}`, () =>
      Effect.gen(function* () {
        const message = yield* refusedWith(StreamableHttpTransport.make, status, "no such connection", "text/plain")
        assert.strictEqual(
          message,
          `${refuses(status)}: no such connection. The server may want the event stream first: use SseTransport`
        )
      })
    )
  }
})
