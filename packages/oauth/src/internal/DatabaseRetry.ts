import type * as SqlError from "@effect/sql/SqlError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import { TokenStoreUnavailable } from "../TokenStore.ts"
import * as RetrySchedules from "./RetrySchedules.ts"

/** Retries a busy database, then fails without the parameters of the failed statement. */
export const retryBusyDatabase = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, TokenStoreUnavailable, R> =>
  effect.pipe(
    RetryPolicy.retryIf(isSqlError, RetrySchedules.database),
    Effect.mapError(
      (error) =>
        new TokenStoreUnavailable({
          reason: error._tag === "DecryptionFailed" ? error.message : "its database does not answer as it should"
        })
    )
  )

const isSqlError = (error: { readonly _tag: string }): error is SqlError.SqlError => error._tag === "SqlError"
