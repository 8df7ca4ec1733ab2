import * as Effect from "effect/Effect"
import type { AcpError, NotDelivered } from "../AcpError.ts"

/** What waiting for the end of a turn needs of its session. */
export interface Options {
  /** Waits until the session is usable, its history complete. */
  readonly ready: Effect.Effect<unknown, AcpError>
  /** How much has arrived so far. */
  readonly news: () => number
  /** Finds out whether a prompt in doubt has arrived; runs when the session is at rest. */
  readonly settle: Effect.Effect<void, AcpError | NotDelivered>
}

/** Waits until `busy` says that the session is at rest and what was said last has arrived. */
export const make =
  ({ news, ready, settle }: Options) =>
  <E, R>(busy: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | AcpError | NotDelivered, R> =>
    Effect.gen(function* () {
      for (let wait = 500; ; wait = Math.min(wait * 1.5, 5_000)) {
        if (!(yield* busy)) break
        yield* Effect.sleep(wait)
      }
      // The two ways are not ordered: the last words may still be under way, or the channel may be broken.
      for (let round = 0; round < 20; round++) {
        const before = news()
        yield* Effect.sleep("300 millis")
        yield* ready
        if (news() === before) break
      }
      yield* settle
    }).pipe(Effect.withSpan("AcpSession.awaitIdle"))
