import * as RetryPolicy from "@heddle/core/RetryPolicy"
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

/** The pause before a cancellation is sent again. */
export const cancelPause = "250 millis"

/** Within which an agent repeats its open requests on a new connection. */
export const repeatWindow = "10 seconds"
