import * as Effect from "effect/Effect"
import type { AcpError, DeliveryUnknown, NotDelivered } from "../../AcpError.ts"
import type { DeliveryCheck } from "./SessionCalls.ts"

/** What waiting for the end of a turn needs of its session. */
export interface Options {
  /** Waits until the session is ready, its history complete. */
  readonly ready: Effect.Effect<unknown, AcpError>
  /** How much has been received so far. */
  readonly received: () => number
  readonly deliveryCheck: () => DeliveryCheck
}

/** Waits until `busy` says that the agent is at rest and its last words have arrived. */
export const make =
  ({ deliveryCheck, ready, received }: Options) =>
  <E, R>(busy: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | AcpError | NotDelivered | DeliveryUnknown, R> =>
    Effect.gen(function* () {
      for (let wait = 500; ; wait = Math.min(wait * 1.5, 5_000)) {
        if (!(yield* busy)) break
        yield* Effect.sleep(wait)
      }
      const check = deliveryCheck()
      // The status and the channel are not ordered: the last words may still come, or the channel may be broken.
      for (let round = 0; round < 20; round++) {
        const before = received()
        yield* Effect.sleep("300 millis")
        yield* check.agentIdle
        yield* ready
        if (received() === before) break
      }
      yield* check.result
    }).pipe(Effect.withSpan("AcpSession.awaitIdle"))
