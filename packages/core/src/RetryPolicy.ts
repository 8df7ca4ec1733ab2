import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Schedule from "effect/Schedule"
import type {
  InvalidToken,
  OpenApiError,
  OutcomeUnknown,
  RateLimited,
  ServiceFailure,
  Unreachable
} from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/** The longest `Retry-After` that is waited for; beyond it the error goes to the caller at once. */
export const longestWait: Duration.Duration = Duration.seconds(60)

/** A refused token is renewed once. */
export const renewal: Schedule.Schedule<unknown, InvalidToken> = Schedule.recurs(1)

/** After 429: 1, 2, 4 s, or what `Retry-After` asks if that is longer (7.1, decision 17). */
export const rateLimit: Schedule.Schedule<unknown, RateLimited> = backoff<RateLimited>()

/** After a failure that will pass: the same waits. */
export const failure: Schedule.Schedule<unknown, ServiceFailure | Unreachable | OutcomeUnknown> = backoff<
  ServiceFailure | Unreachable | OutcomeUnknown
>()

/** After 500, of a read only: one more try (decision 18). */
export const internalError: Schedule.Schedule<unknown, ServiceFailure> = Schedule.intersect(
  backoff<ServiceFailure>(),
  Schedule.recurs(1)
)

/**
 * Repeats an attempt as its operation allows: renewal innermost, so that each wait is followed by a full attempt.
 * What no schedule takes, `InvalidGrant` above all, passes at once.
 */
export const apply =
  (repeat: Operation["repeat"]) =>
  <A, R>(attempt: Effect.Effect<A, OpenApiError, R>): Effect.Effect<A, OpenApiError, R> =>
    attempt.pipe(
      retry(renewal, (error) => error._tag === "InvalidToken"),
      retry(
        internalError,
        (error): error is ServiceFailure => repeat === "safe" && error._tag === "ServiceFailure" && error.status === 500
      ),
      retry(
        failure,
        (error): error is ServiceFailure | Unreachable | OutcomeUnknown =>
          error._tag === "Unreachable" ||
          (repeat !== "once" &&
            (error._tag === "OutcomeUnknown" || (error._tag === "ServiceFailure" && error.status !== 500)))
      ),
      retry(rateLimit, (error) => error._tag === "RateLimited")
    )

/** Retries only the errors that `matches`; the schedule never sees another. */
const retry =
  <E extends OpenApiError>(schedule: Schedule.Schedule<unknown, E>, matches: (error: OpenApiError) => error is E) =>
  <A, R>(attempt: Effect.Effect<A, OpenApiError, R>): Effect.Effect<A, OpenApiError, R> =>
    attempt.pipe(
      Effect.map(Either.right),
      Effect.catchAll((error) => (matches(error) ? Effect.fail(error) : Effect.succeed(Either.left(error)))),
      Effect.retry(schedule),
      Effect.flatMap(identity<Either.Either<A, OpenApiError>>)
    )

function backoff<E extends OpenApiError>(): Schedule.Schedule<unknown, E> {
  return Schedule.identity<E>().pipe(
    Schedule.whileInput((error) => waitOf(error) <= Duration.toMillis(longestWait)),
    Schedule.intersect(Schedule.exponential("1 second", 2)),
    Schedule.intersect(Schedule.recurs(3)),
    // Never earlier than asked, and a herd spreads out.
    Schedule.jitteredWith({ min: 1, max: 1.25 }),
    Schedule.modifyDelay(([[error]], delay) => Duration.max(delay, Duration.millis(waitOf(error)))),
    Schedule.upTo("2 minutes")
  )
}

const waitOf = (error: OpenApiError): number =>
  "retryAfter" in error && error.retryAfter !== undefined ? error.retryAfter * 1000 : 0
