import type { OutcomeUnknown } from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import type * as SqlError from "@effect/sql/SqlError"
import * as Schedule from "effect/Schedule"
import type { TokenStoreUnavailable } from "./StoredGrant.ts"

/** Waits for a busy database: every 50 ms for 5 s. */
export const database: Schedule.Schedule<unknown, SqlError.SqlError> = Schedule.spaced("50 millis").pipe(
  Schedule.jittered,
  RetryPolicy.upTo("5 seconds")
)

/** Waits for the token store before a call fails: every 250 ms for 8 s. */
export const storeRead: Schedule.Schedule<unknown, TokenStoreUnavailable> = Schedule.spaced("250 millis").pipe(
  RetryPolicy.upTo("8 seconds")
)

/** Writes new tokens in the background until the store takes them: every 250 ms without end. */
export const storeWrite: Schedule.Schedule<unknown, TokenStoreUnavailable> = Schedule.spaced("250 millis")

/** Writes new tokens while their caller waits: every 250 ms for 5 s. */
export const storeWriteInCall: Schedule.Schedule<unknown, TokenStoreUnavailable> = storeWrite.pipe(
  RetryPolicy.upTo("5 seconds")
)

/** Repeats a refresh whose answer was lost after 0.2, 0.6 and 1.8 s. It accepts no `InvalidGrant`. */
export const lostRefresh: Schedule.Schedule<unknown, OutcomeUnknown> = Schedule.exponential("200 millis", 3).pipe(
  Schedule.intersect(Schedule.recurs(3))
)
