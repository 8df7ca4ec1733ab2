import * as CallOptions from "@heddle/core/CallOptions"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import type { OpenApiError, RateLimited } from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * Repeats a request after 429, and after no other error, as its call options say. The service refused it before it
 * acted, so that even an authorization code is still unused.
 */
export const afterRateLimit = <A, E extends OpenApiError>(request: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const options = yield* CallOptions.CallOptions
    const schedule = RetryPolicy.backoff({
      tries: CallOptions.triesOf(options) ?? RetryPolicy.defaultTries,
      endsAt: (yield* MonotonicClock.now) + Duration.toMillis(CallOptions.deadlineOf(options))
    })
    const isRateLimited = (error: E): error is E & RateLimited => error._tag === "RateLimited"
    return yield* RetryPolicy.retryIf(request, isRateLimited, schedule)
  })
