import * as HttpExchange from "@heddle/acp/HttpExchange"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import type { Inbound } from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { rawServer, streaming } from "./fixtures/RawServer.ts"
import { quick } from "./fixtures/Session.ts"

interface Value {
  readonly link: string
  readonly token: string
}

/** Runs a channel with these tickets, one after the other, until it is connected or has failed. */
const run = (exchange: HttpExchange.HttpExchange, tickets: ReadonlyArray<Value>) =>
  Effect.gen(function* () {
    let fetched = 0
    const ticket = yield* Ticket.make(
      Effect.sync(() => {
        const { link, token } = tickets[Math.min(fetched++, tickets.length - 1)]!
        return { link, token: Redacted.make(token) }
      })
    )
    const received: Array<Inbound> = []
    const outcome = yield* Effect.async<unknown>((resume) => {
      const transport = SseTransport.make({ ticket, exchange, ...quick })
      const running = Effect.flip(
        transport.run((inbound) => {
          received.push(inbound)
          if (inbound._tag === "Connected") resume(Effect.succeed("Connected"))
        })
      )
      const controller = new AbortController()
      Effect.runPromise(running, controller).then(
        (error) => resume(Effect.succeed(error)),
        () => undefined
      )
      return Effect.sync(() => controller.abort())
    }).pipe(Effect.timeout("5 seconds"))
    return { outcome, said: inspect([outcome, received], { depth: 20 }) }
  })

const closed = "http://127.0.0.1:9/acp"

describe.each([
  ["fetch", HttpExchange.fromFetch()],
  ["undici", UndiciExchange.make()]
] as const)("a ticket that cannot be used, over %s", (_, exchange) => {
  it.live.each([
    { link: closed, token: "secret-1\n" },
    { link: closed, token: "secret-世" },
    { link: "http://user:secret-1@127.0.0.1:9/acp", token: "token" },
    { link: "not a link: secret-1", token: "token" },
    { link: "ftp://127.0.0.1/secret-1", token: "token" }
  ])("ends the channel without its secrets in the error: %j", (value) =>
    Effect.gen(function* () {
      const { outcome, said } = yield* run(exchange, [value])
      assert.propertyVal(outcome, "_tag", "ChannelRefused")
      assert.notInclude(said, "secret-")
    })
  )

  it.scopedLive("is renewed", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(({ response }) => streaming(response).write(":ok\n\n"))
      const tickets = [
        { link: server.link, token: "secret-1\n" },
        { link: server.link, token: "token-2" }
      ]
      assert.strictEqual((yield* run(exchange, tickets)).outcome, "Connected")
    })
  )

  it.scopedLive("is renewed where its link redirects, which is not followed", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(({ response }) => streaming(response).write(":ok\n\n"))
      const old = yield* rawServer(({ response }) => response.writeHead(308, { Location: server.link }).end())
      const tickets = [old, server].map(({ link }, nth) => ({ link, token: `token-${nth + 1}` }))
      assert.strictEqual((yield* run(exchange, tickets)).outcome, "Connected")
      assert.strictEqual(server.requests[0]?.headers.authorization, "Bearer token-2")
      assert.propertyVal((yield* run(exchange, tickets.slice(0, 1))).outcome, "_tag", "ChannelRefused")
    })
  )
})
