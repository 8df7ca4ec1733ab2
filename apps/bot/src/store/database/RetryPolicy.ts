import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"

/** Whether the store caused a failure: a full disk, a lock, a lost connection. */
export const isStoreFailure = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)), isOfStore)

/**
 * Repeats an idempotent effect while the store fails. Waits 0.25 s first, then twice as long each time, at most 2 s.
 * `what` names the work in the log.
 */
export const retryWhileStoreFails = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.sandbox,
    Effect.tapError((cause) =>
      isRetryable(cause) ? Effect.logWarning(`${what} waits for the store`, Cause.squash(cause)) : Effect.void
    ),
    RetryPolicy.retryIf(isRetryable, RetryPolicy.cappedExponential("250 millis", "2 seconds")),
    Effect.unsandbox
  )

/**
 * Sends a message to an entity until the cluster has stored it; the cluster stores the same message once. Waits 0.1 s
 * first, then twice as long each time, at most 5 s.
 */
export const retryUntilDelivered = <A, E extends { readonly _tag: string }, R>(
  send: Effect.Effect<A, E | PersistenceError, R>
): Effect.Effect<A, never, R> =>
  send.pipe(
    Effect.tapError((error) => Effect.logWarning(`A message could not be stored yet: ${error._tag}`)),
    Effect.retry(RetryPolicy.cappedExponential("100 millis", "5 seconds")),
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
