import { assert, describe, it } from "@effect/vitest"
import type { AcpError } from "@heddle/acp/AcpError"
import { ConnectionLost } from "@heddle/acp/AcpError"
import * as ThreadChannel from "@heddle/bot/turn/session/ThreadChannel"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

/** Opens a channel as an attempt that keeps it. */
const kept = (holder: ThreadChannel.ThreadChannel, closed: Effect.Effect<never, AcpError> = Effect.never) =>
  Effect.gen(function* () {
    const connected = { acp: { closed }, ticket: {}, offerReader: {}, openId: undefined } as never
    const channel = yield* ThreadChannel.open(holder, yield* Effect.scope, Effect.succeed(connected))
    channel.isKept = true
    return channel
  })

describe("the channel of a thread", () => {
  it.scoped("stays open where an earlier one is closed", () =>
    Effect.gen(function* () {
      const holder = ThreadChannel.make()
      const old = yield* kept(holder)
      const current = yield* kept(holder)
      yield* ThreadChannel.end(holder, old)
      assert.strictEqual(holder.current, current)
      yield* ThreadChannel.end(holder, current)
      assert.isUndefined(holder.current)
    })
  )

  it.scoped("tells an attempt that begins to use it why its session is over", () =>
    Effect.gen(function* () {
      const holder = ThreadChannel.make()
      const closed = yield* Deferred.make<never, AcpError>()
      const channel = yield* kept(holder, Deferred.await(closed))
      const error = new ConnectionLost({ description: "gone", sent: false })
      yield* Deferred.fail(closed, error)
      yield* TestClock.adjust("1 second")
      assert.deepEqual([channel.closedBy, holder.current], [error, undefined])
    })
  )
})
