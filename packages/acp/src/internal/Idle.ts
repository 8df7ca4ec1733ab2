import * as Effect from "effect/Effect"
import type { AcpError } from "../AcpError.ts"

/** What waiting for the end of a turn needs of its session. */
export interface Options {
  /** Waits until the session is usable, its history complete. */
  readonly ready: Effect.Effect<unknown, AcpError>
  /** How much has arrived so far. */
  readonly news: () => number
}

/** Waits until `busy` says that the session is at rest and what was said last has arrived. */
export const make =
  ({ news, ready }: Options) =>
  <E, R>(busy: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | AcpError, R> =>
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
        if (news() === before) return
      }
    }).pipe(Effect.withSpan("AcpSession.awaitIdle"))
