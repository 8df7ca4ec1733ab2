import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** What a reader sees of an agent. */
export interface Seen {
  /** When anything that it shows changed last, in epoch milliseconds; undefined before it shows anything. */
  readonly changedAt: () => number | undefined
  /** Whether it is at work, and does not wait for anybody. */
  readonly isAtWork: () => boolean
}

/** Shows that an agent is at work while nothing else tells it: before it shows anything, and whenever that rests for long. */
export const whileSilent = <E, R>(type: Effect.Effect<void, E, R>, { changedAt, isAtWork }: Seen) =>
  Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const due = (changedAt() ?? now - silence) + silence
      if (due <= now && isAtWork()) yield* type
      yield* Effect.sleep(due <= now ? again : due - now)
    }
  })

/** After so long a reader asks whether anything goes on, in milliseconds. */
const silence = 10_000

/** Discord shows it for ten seconds. */
const again = 8000
