import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import { DiscordError, isPassing } from "./DiscordError.ts"

/**
 * Repeats a call while Discord is unreachable, overloaded or rate limits it. Waits 0.5 s first, then twice as long each
 * time, at most 10 s. Every other error fails at once.
 */
export const retryWhileUnavailable = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => (isUnavailable(error) ? Effect.logInfo("Tried again", error.message) : Effect.void)),
    RetryPolicy.retryIf(isUnavailable, RetryPolicy.cappedExponential("500 millis", "10 seconds"))
  )

const isUnavailable = (error: unknown): error is DiscordError => error instanceof DiscordError && isPassing(error)
