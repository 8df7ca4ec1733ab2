import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordError, isPassing } from "./DiscordError.ts"

/** Repeats a call while Discord is unreachable, overloaded or rate limits it. Every other error fails at once. */
export const retryWhileUnavailable = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => (isUnavailable(error) ? Effect.logInfo("Tried again", error.message) : Effect.void)),
    RetryPolicy.retryIf(isUnavailable, RetrySchedules.discord)
  )

/** Repeats a call that Discord rate limits; each try waits for a slot of the rate limiter. */
export const retryWhileRateLimited = <A, R>(
  call: Effect.Effect<A, DiscordError, R>
): Effect.Effect<A, DiscordError, R> =>
  RetryPolicy.retryIf(call, ({ status }) => status === 429, RetrySchedules.rateLimited)

const isUnavailable = (error: unknown): error is DiscordError => error instanceof DiscordError && isPassing(error)
