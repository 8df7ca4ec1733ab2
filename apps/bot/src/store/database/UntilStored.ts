import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Whether something failed because the store did not take or give it: a full disk, a lock, a store that is gone. */
export const isStoreFailure = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)), isOfStore)

/**
 * Does something again for as long as the store fails it; whoever calls it waits meanwhile. For what finds in its rows
 * what was done before.
 */
export const untilStored = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.sandbox,
    Effect.tapError((cause) =>
      isAgain(cause) ? Effect.logWarning(`${what} waits for the store`, Cause.squash(cause)) : Effect.void
    ),
    Effect.retry({ while: isAgain, schedule: again }),
    Effect.unsandbox
  )

const isAgain = (cause: Cause.Cause<unknown>): boolean => !Cause.isInterrupted(cause) && isStoreFailure(cause)

const again = Schedule.exponential("250 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "2 seconds"))
)

const isOfStore = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null || !("_tag" in error)) return false
  if (error._tag === "PersistenceError") return true
  return error._tag === "SqlError" && !("cause" in error && isOfCaller(error.cause))
}

/** What was asked for can never be done: that is a mistake of the program, and no time helps. Triggers are not its own. */
const isOfCaller = (cause: unknown): boolean =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  /^SQLITE_(CONSTRAINT(?!_TRIGGER)|MISMATCH|RANGE|TOOBIG)/.test(String(cause.code))
