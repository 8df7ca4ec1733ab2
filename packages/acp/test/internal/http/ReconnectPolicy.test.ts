import { ChannelRefused, ConnectionLost } from "@heddle/acp/AcpError"
import * as Ticket from "@heddle/acp/Ticket"
import { RateLimited } from "@heddle/core/OpenApiError"
import { assert, describe, it } from "@effect/vitest"
import * as SetBackClock from "@heddle/test-support/SetBackClock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { ReconnectPolicy } from "#internal/http/ReconnectPolicy"

const broken = { error: new ConnectionLost({ description: "The server closed the channel", sent: true }) }

const policy = Effect.map(
  Ticket.make(Effect.succeed({ link: "http://127.0.0.1/acp", token: Redacted.make("token") })),
  (ticket) => new ReconnectPolicy({ ticket })
)

/** Within the jitter of a quarter. */
const assertAbout = (wait: number, millis: number) => {
  assert.isAtLeast(wait, millis * 0.75)
  assert.isAtMost(wait, millis * 1.25)
}

describe("ReconnectPolicy", () => {
  it.effect("backs off from streams that bring something and end at once, again and again", () =>
    Effect.gen(function* () {
      const reconnects = yield* policy
      for (const millis of [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
        reconnects.opened()
        reconnects.progressed()
        const wait = yield* reconnects.next(broken)
        assertAbout(wait, millis)
        yield* TestClock.adjust(wait)
      }
    })
  )

  it.effect("starts over after a stream that lasted as long as the wait before it", () =>
    Effect.gen(function* () {
      const reconnects = yield* policy
      for (const millis of [250, 500, 1000]) {
        const wait = yield* reconnects.next(broken)
        assertAbout(wait, millis)
        yield* TestClock.adjust(wait)
      }
      reconnects.opened()
      reconnects.progressed()
      yield* TestClock.adjust("1250 millis")
      assertAbout(yield* reconnects.next(broken), 250)
    })
  )

  it.effect("starts over where the time of day was set back meanwhile", () =>
    SetBackClock.within((setBack) =>
      Effect.gen(function* () {
        const reconnects = yield* policy
        for (let times = 0; times < 8; times++) yield* TestClock.adjust(yield* reconnects.next(broken))
        reconnects.opened()
        reconnects.progressed()
        setBack(7_200_000)
        yield* TestClock.adjust("10 minutes")
        assertAbout(yield* reconnects.next(broken), 250)
      })
    )
  )

  it.effect("waits ten minutes at most, whatever Retry-After says", () =>
    Effect.gen(function* () {
      for (const status of [429, 503]) {
        const reconnects = yield* policy
        assert.isAtMost(yield* reconnects.next({ ...broken, status, retryAfter: 1e9 }), 600_000 * 1.25)
        assert.isAtLeast(yield* reconnects.next({ ...broken, status, retryAfter: 90 }), 90_000)
      }
    })
  )

  it.effect("waits as long as a refused message or the call for a ticket asks", () =>
    Effect.gen(function* () {
      const busy = new RateLimited({ code: "rate_limited", description: "Too many requests", retryAfter: 90 })
      const away = yield* Ticket.fromChannel(Effect.fail(busy))
      const errors = [
        new ConnectionLost({ description: "The server is busy", sent: false, retryAfter: 90 }),
        yield* Effect.flip(away.current)
      ]
      for (const error of errors) assert.isAtLeast(yield* (yield* policy).next({ error }), 90_000)
      const ticket = { link: "http://127.0.0.1/acp", token: Redacted.make("token") }
      const refused = new ChannelRefused({ status: 401, description: "The token has ended" })
      const reconnects = new ReconnectPolicy({ ticket: away })
      assert.isAtLeast(yield* reconnects.next({ error: refused, status: 401, ticket }), 90_000)
    })
  )
})
