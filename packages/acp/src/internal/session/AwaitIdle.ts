import * as Effect from "effect/Effect"
import type { AcpError, DeliveryUnknown, NotDelivered } from "../../AcpError.ts"
import type { SessionCalls } from "./SessionCalls.ts"

/** Waits until `busy` says that the agent is at rest and its last words have arrived. */
export const awaitIdle = <E, R>(
  calls: SessionCalls,
  busy: Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | AcpError | NotDelivered | DeliveryUnknown, R> =>
  Effect.gen(function* () {
    for (let wait = 500; ; wait = Math.min(wait * 1.5, 5_000)) {
      if (!(yield* busy)) break
      yield* Effect.sleep(wait)
    }
    const check = calls.deliveryCheck()
    // The status and the channel are not ordered: the last words may still come, or the channel may be broken.
    for (let round = 0; round < 20; round++) {
      const before = calls.received()
      yield* Effect.sleep("300 millis")
      yield* check.agentIdle
      yield* calls.ready()
      if (calls.received() === before) break
    }
    yield* check.result
  }).pipe(Effect.withSpan("AcpSession.awaitIdle"))
