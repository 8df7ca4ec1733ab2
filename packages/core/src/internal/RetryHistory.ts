import type { OpenApiError, OutcomeUnknown } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import { uncertainWrite } from "./ResponseErrors.ts"

/** What the failed tries of one call leave for the next try and for the final error. */
export interface RetryHistory {
  /** Set once a try may have reached the service as a write. */
  readonly doubt: OutcomeUnknown | undefined
  readonly last: OpenApiError | undefined
  readonly previous: OpenApiError | undefined
  /** When the last try failed, in milliseconds of the clock. */
  readonly failedAt: number
}

export const empty: RetryHistory = { doubt: undefined, last: undefined, previous: undefined, failedAt: 0 }

/** The history after one more failed try. */
export const add = (
  { doubt, last }: RetryHistory,
  operation: Operation,
  error: OpenApiError,
  now: number
): RetryHistory => ({
  doubt: error._tag === "OutcomeUnknown" ? error : (uncertainWrite(operation, error) ?? doubt),
  last: error,
  previous: last,
  failedAt: now
})

/**
 * The error that a call ends with. A write that may have been received stays in doubt unless a later answer is about
 * the write itself. An answer of the service is more useful than a try that the deadline cut short.
 */
export const finalError = ({ doubt, failedAt, previous }: RetryHistory, error: OpenApiError, endsAt: number) => {
  if (doubt !== undefined && beforeTheWrite.has(error._tag)) return doubt
  return failedAt >= endsAt && previous !== undefined && error._tag === "Unreachable" ? previous : error
}

/** Errors that occur before the service looks at the request itself. */
const beforeTheWrite: ReadonlySet<OpenApiError["_tag"]> = new Set([
  "Unreachable",
  "RateLimited",
  "ServiceFailure",
  "InvalidToken",
  "InvalidClient",
  "Reauthorize"
])
