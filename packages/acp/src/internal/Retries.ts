import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/** A refusal with 429: the server did nothing. `retryAfter` is in seconds. */
export interface RateLimited {
  readonly _tag: "RateLimited"
  readonly retryAfter: number | undefined
}

/** Attaching a session on a new connection. */
export const attach = RetryPolicy.cappedExponential("500 millis", "8 seconds")

/** Delivering an answer on a channel that is down. */
export const deliver = RetryPolicy.cappedExponential("250 millis", "5 seconds").pipe(Schedule.jittered)

/** Posting a message that surely did not arrive, or that may arrive twice: three times more. */
export const post = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(3)))

/** Posting a message that was refused with 429: after 1, 2 and 4 s, or `Retry-After` where that is longer. */
export const rateLimit: Schedule.Schedule<unknown, RateLimited> = Schedule.recurs(RetryPolicy.defaultTries - 1).pipe(
  Schedule.intersect(Schedule.identity<RateLimited>()),
  Schedule.map(([nth, { retryAfter }]) => rateLimitWait(nth, retryAfter)),
  Schedule.whileOutput((wait) => Duration.lessThanOrEqualTo(wait, RetryPolicy.maxWait)),
  Schedule.delayedSchedule,
  Schedule.jitteredWith({ min: 1, max: 1.25 })
)

/** The wait after the nth refusal with 429, counted from 0. `retryAfter` is in seconds. */
export const rateLimitWait = (nth: number, retryAfter = 0): Duration.Duration =>
  Duration.max(RetryPolicy.exponentialDelay(nth, "1 second", RetryPolicy.maxWait), Duration.seconds(retryAfter))

/** The pause before a cancellation is sent again. */
export const cancelPause = "250 millis"

/** Within which an agent repeats its open requests on a new connection. */
export const repeatWindow = "10 seconds"
