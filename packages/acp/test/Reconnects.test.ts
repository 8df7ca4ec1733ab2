import { ChannelRefused, ConnectionLost } from "@heddle/acp/AcpError"
import * as RequestDeadline from "@heddle/acp/RequestDeadline"
import * as Ticket from "@heddle/acp/Ticket"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ReconnectPolicy } from "#internal/http/ReconnectPolicy"

const ticketOf = (token: string) => ({ link: "http://127.0.0.1/acp", token: Redacted.make(token) })
const lost = new ConnectionLost({ description: "closed", sent: true })

/** A policy whose every renewed ticket is another one. */
const policy = Effect.gen(function* () {
  let fetched = 0
  const ticket = yield* Ticket.make(Effect.sync(() => ticketOf(String(fetched++))))
  return { reconnects: new ReconnectPolicy({ ticket }), ticket, fetched: () => fetched }
})

describe("a channel", () => {
  it.effect("renews a refused ticket twice in a row, and then gives up", () =>
    Effect.gen(function* () {
      const { fetched, reconnects, ticket } = yield* policy
      const error = new ChannelRefused({ status: 403, description: "forbidden" })
      for (let times = 0; times < 2; times++)
        assert.strictEqual(yield* reconnects.next({ error, status: 403, ticket: yield* ticket.current }), 0)
      const last = yield* Effect.flip(reconnects.next({ error, status: 403, ticket: yield* ticket.current }))
      assert.strictEqual(last._tag, "ChannelRefused")
      assert.strictEqual(fetched(), 3)
    })
  )

  it.effect("waits eight times for the socket that the server still has, and then starts over", () =>
    Effect.gen(function* () {
      const { reconnects } = yield* policy
      let discarded = 0
      const conflict = reconnects.next({ error: lost, status: 409 }, { discard: () => void (discarded += 1) })
      const waits = yield* Effect.all(Array.from({ length: 9 }, () => conflict))
      assert.deepStrictEqual(waits, [...Array.from({ length: 8 }, () => 250), 0])
      assert.strictEqual(discarded, 1)
    })
  )

  it.effect("waits at least as long as the server asks, on each try", () =>
    Effect.gen(function* () {
      const { reconnects } = yield* policy
      reconnects.setMinimum(5000)
      assert.strictEqual(yield* reconnects.next({ error: lost }), 5000)
      assert.isAtLeast(yield* reconnects.next({ error: lost, status: 429, retryAfter: 0 }), 5000)
    })
  )
})

describe("the deadline of a request", () => {
  const find = (params: object, earliest?: number) => RequestDeadline.find(params, 1_700_000_000_000, earliest)

  it("is read in seconds, milliseconds, texts and durations, with the prefix of a vendor", () => {
    const later = 1_700_000_060_000
    for (const params of [
      { expiresAt: later },
      { expires_at: later / 1000 },
      { deadline: new Date(later).toISOString() },
      { timeoutMs: 60_000 },
      { "vendor.ai/timeoutSeconds": 60 },
      { _meta: { "vendor.ai/expiresAt": String(later) } },
      { _meta: { "vendor.ai": { expires_in: 60 } } }
    ])
      assert.strictEqual(find(params), later, JSON.stringify(params))
  })

  it("does not count in the past or at this moment, and the next one does", () => {
    const now = 1_700_000_000_000
    assert.isUndefined(find({ expiresAt: now }))
    assert.isUndefined(find({ expiresAt: now - 1 }))
    assert.strictEqual(find({ expiresAt: now + 1 }), now + 1)
    assert.strictEqual(find({ expiresAt: now - 1, deadline: now + 2 }), now + 2)
    assert.strictEqual(find({ expiresAt: now - 1 }, now - 2), now - 1)
  })
})
