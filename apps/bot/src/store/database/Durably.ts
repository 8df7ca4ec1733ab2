import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Stores a message for an entity, however long the store needs; the same message is stored once. */
export const durably = <A, E extends { readonly _tag: string }, R>(
  send: Effect.Effect<A, E | PersistenceError, R>
): Effect.Effect<A, never, R> =>
  send.pipe(
    Effect.tapError((error) => Effect.logWarning(`A message could not be stored yet: ${error._tag}`)),
    Effect.retry(schedule),
    Effect.orDie
  )

const schedule = Schedule.exponential("100 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "5 seconds"))
)
