import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"

/** Whether the store caused a failure: a full disk, a lock, a lost connection. */
export const isStoreFailure = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)), isOfStore)

/** Repeats an idempotent effect while the store fails. `what` names the work in the log. */
export const retryWhileStoreFails = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let failures = 0; ; failures++) {
      const exit = yield* Effect.exit(effect)
      if (Exit.isSuccess(exit) || !isRetryable(exit.cause)) return yield* exit
      yield* Effect.logWarning(`${what} waits for the store`, Cause.squash(exit.cause))
      yield* Effect.sleep(RetrySchedules.storeDelay(failures))
    }
  })

/** Sends a message to an entity until the cluster has stored it; the cluster stores the same message once. */
export const retryUntilDelivered = <A, E extends { readonly _tag: string }, R>(
  send: Effect.Effect<A, E | PersistenceError, R>
): Effect.Effect<A, never, R> =>
  send.pipe(
    Effect.tapError((error) => Effect.logWarning(`A message could not be stored yet: ${error._tag}`)),
    Effect.retry(RetrySchedules.delivery),
    Effect.orDie
  )

const isRetryable = (cause: Cause.Cause<unknown>): boolean => !Cause.isInterrupted(cause) && isStoreFailure(cause)

const isOfStore = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null || !("_tag" in error)) return false
  if (error._tag === "PersistenceError") return true
  return error._tag === "SqlError" && !("cause" in error && isProgramError(error.cause))
}

/** A statement that can never succeed is a mistake of the program. A trigger's refusal depends on the stored rows. */
const isProgramError = (cause: unknown): boolean =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  /^SQLITE_(CONSTRAINT(?!_TRIGGER)|MISMATCH|RANGE|TOOBIG)/.test(String(cause.code))
