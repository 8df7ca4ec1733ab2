import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordError, isPassing } from "./DiscordError.ts"

/** Repeats a call while Discord is unreachable, overloaded or rate limits it. Every other error fails at once. */
export const retryWhileUnavailable = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  retryBy(call, RetrySchedules.discord)

/** Repeats a call by a schedule, while {@link retryWhileUnavailable} would repeat it. */
export const retryBy = <A, E, R, R1>(
  call: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, unknown, R1>
): Effect.Effect<A, E, R | R1> =>
  call.pipe(
    Effect.tapError((error) => (isUnavailable(error) ? Effect.logInfo("Tried again", error.message) : Effect.void)),
    RetryPolicy.retryIf(isUnavailable, schedule)
  )

/** Repeats a call that Discord rate limits; each try waits for a slot of the rate limiter. */
export const retryWhileRateLimited = <A, R>(
  call: Effect.Effect<A, DiscordError, R>
): Effect.Effect<A, DiscordError, R> =>
  RetryPolicy.retryIf(call, ({ status }) => status === 429, RetrySchedules.rateLimited)

const isUnavailable = (error: unknown): error is DiscordError => error instanceof DiscordError && isPassing(error)
