import { type OpenApiError, OutcomeUnknown } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import { uncertainWrite } from "./ResponseErrors.ts"

/** The failed tries of one call, as far as the next try and the final error depend on them. */
export interface RetryHistory {
  /** Set once a try may have reached the service as a write. */
  readonly outcomeUnknown: OutcomeUnknown | undefined
  readonly lastError: OpenApiError | undefined
  readonly previousError: OpenApiError | undefined
  /** When the last try failed, in milliseconds of the monotonic clock. */
  readonly failedAt: number
}

export const empty: RetryHistory = {
  outcomeUnknown: undefined,
  lastError: undefined,
  previousError: undefined,
  failedAt: 0
}

/** The history after one more failed try. */
export const add = (
  { outcomeUnknown, lastError }: RetryHistory,
  operation: Operation,
  error: OpenApiError,
  now: number
): RetryHistory => ({
  outcomeUnknown: error._tag === "OutcomeUnknown" ? error : (uncertainWrite(operation, error) ?? outcomeUnknown),
  lastError: error,
  previousError: lastError,
  failedAt: now
})

/**
 * The error that a call ends with. A write that may have been received ends as `OutcomeUnknown`, unless a later response
 * is about the write itself. An earlier response is more useful than a try that the deadline cut short.
 */
export const finalError = (
  { failedAt, outcomeUnknown, previousError }: RetryHistory,
  error: OpenApiError,
  { endsAt, operation }: { readonly endsAt: number; readonly operation: Operation }
) => {
  const isDecided = !errorsBeforeWrite.has(error._tag) && uncertainWrite(operation, error) === undefined
  if (outcomeUnknown !== undefined && !isDecided)
    return "retryAfter" in error && error.retryAfter !== undefined
      ? new OutcomeUnknown({ ...outcomeUnknown, retryAfter: error.retryAfter })
      : outcomeUnknown
  return failedAt >= endsAt && previousError !== undefined && error._tag === "Unreachable" ? previousError : error
}

/** Errors that occur before the service looks at the request itself. */
const errorsBeforeWrite: ReadonlySet<OpenApiError["_tag"]> = new Set([
  "Unreachable",
  "RateLimited",
  "ServiceFailure",
  "InvalidToken",
  "SignInRequired",
  "InvalidClient",
  "Reauthorize"
])
