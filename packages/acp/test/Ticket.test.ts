import { TicketError } from "@heddle/acp/AcpError"
import * as Ticket from "@heddle/acp/Ticket"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { tickets } from "./fixtures/Tickets.ts"

describe("Ticket", () => {
  it.effect("is fetched once for many callers, and renewed once for many refusals", () =>
    Effect.gen(function* () {
      const { ticket, count } = yield* tickets(() => "http://localhost/acp")
      const [first] = yield* Effect.all(
        Array.from({ length: 10 }, () => ticket.current),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(count.fetched, 1)
      const renewed = yield* Effect.all(
        Array.from({ length: 10 }, () => ticket.renew(first!)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(count.fetched, 2)
      assert.deepStrictEqual([...new Set(renewed.map(({ token }) => Redacted.value(token)))], ["token-2"])
    })
  )

  it.effect("takes a task's channel, and tells a task that is over from one that has no channel now", () =>
    Effect.gen(function* () {
      const channel = { taskId: "task-1", link: "http://localhost/acp", token: Redacted.make("token-1") }
      const ticket = yield* Ticket.fromChannel(Effect.succeed(channel))
      const { token, ...current } = yield* ticket.current
      assert.deepStrictEqual({ ...current, token: Redacted.value(token) }, { ...channel, token: "token-1" })
      for (const [cause, gone] of [
        [{ _tag: "NotFound", message: "no such task" }, true],
        [{ _tag: "ChannelUnavailable", reason: "ended", message: "Task 1 is archived" }, true],
        [{ _tag: "ChannelUnavailable", reason: "timeout", message: "Task 1 is still pending" }, false],
        [{ _tag: "Unreachable", message: "The service cannot be reached" }, false]
      ] as const) {
        const error = yield* Effect.flip((yield* Ticket.fromChannel(Effect.fail(cause))).current)
        assert.deepInclude(error, { _tag: "TicketError", gone, cause })
        assert.include(error.message, cause.message)
      }
    })
  )

  it.effect("is kept until it is refused, because another one may be for another link", () =>
    Effect.gen(function* () {
      let fetched = 0
      const ticket = yield* Ticket.make(
        Effect.sync(() => {
          const nth = ++fetched
          return { link: `http://localhost/${nth}/acp`, token: Redacted.make(`${nth}`), expireAt: 1000 * nth }
        })
      )
      const first = yield* ticket.current
      yield* TestClock.adjust("900 seconds")
      assert.strictEqual((yield* ticket.current).link, first.link)
      // The clock of the service may be behind.
      yield* TestClock.adjust("101 seconds")
      assert.strictEqual((yield* ticket.current).link, first.link)
      assert.strictEqual(fetched, 1)
      const second = yield* ticket.renew(first)
      assert.strictEqual(second.link, "http://localhost/2/acp")
      assert.deepStrictEqual(yield* ticket.current, second)
    })
  )

  it.effect("passes a failure on", () =>
    Effect.gen(function* () {
      const ticket = yield* Ticket.make(Effect.fail(new TicketError({ description: "gone", gone: true })))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ticket.current)))
    })
  )
})
