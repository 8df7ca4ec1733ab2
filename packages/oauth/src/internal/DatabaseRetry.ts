import type * as SqlError from "@effect/sql/SqlError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as RetrySchedules from "./RetrySchedules.ts"
import { TokenStoreUnavailable } from "./StoredGrant.ts"

/** Replaces a failure of the database by an error that does not hold the parameters of the failed statement. */
export const failAsUnavailable = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, TokenStoreUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    error instanceof TokenStoreUnavailable
      ? error
      : new TokenStoreUnavailable({
          reason: error._tag === "DecryptionFailed" ? error.message : "its database does not answer as it should"
        })
  )

/** Retries while the database is busy, then fails as {@link failAsUnavailable} does. */
export const retryBusyDatabase = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, TokenStoreUnavailable, R> =>
  effect.pipe(RetryPolicy.retryIf(isSqlError, RetrySchedules.database), failAsUnavailable)

const isSqlError = (error: { readonly _tag: string }): error is SqlError.SqlError => error._tag === "SqlError"
