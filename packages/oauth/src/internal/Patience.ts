import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { TokenStoreUnavailable } from "../TokenStore.ts"

/** A database that is busy or briefly away is asked again; parameters of a failed statement are never told. */
export const patiently = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, TokenStoreUnavailable, R> =>
  effect.pipe(
    Effect.retry({
      while: (error) => error._tag === "SqlError",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.jittered, Schedule.upTo("5 seconds"))
    }),
    Effect.mapError(
      (error) =>
        new TokenStoreUnavailable({
          reason: error._tag === "DecryptionFailed" ? error.message : "its database does not answer as it should"
        })
    )
  )
