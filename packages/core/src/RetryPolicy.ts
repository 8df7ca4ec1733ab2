import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { dual, identity } from "effect/Function"
import type * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { NoInfer } from "effect/Types"
import * as RetryHistory from "./internal/RetryHistory.ts"
import * as Timeout from "./internal/Timeout.ts"
import * as Metrics from "./Metrics.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import type {
  InvalidToken,
  OpenApiError,
  OutcomeUnknown,
  RateLimited,
  ServiceFailure,
  SignInRequired,
  Unreachable
} from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/**
 * How a call handles an error. `renew`: renew the token and try at once, at most once between two waits.
 * `wait`: try again after 1, 2, 4 s. `waitOnce`: try once more after 1 s. `never`: fail.
 */
export type Remedy = "renew" | "wait" | "waitOnce" | "never"

/**
 * The errors that may go away with another try. {@link renewal}, {@link backoff} and {@link busyBackoff} accept no final
 * refusal such as `InvalidGrant`, so a retry of it by them does not compile.
 */
export type Retryable = RateLimited | ServiceFailure | Unreachable | OutcomeUnknown

/** The errors that a renewed access token may cure: every 401 that is about the token or its user. */
export type RefusedToken = InvalidToken | SignInRequired

/**
 * The remedy for an error of an operation (contract 7.1, decisions 14, 17, 18, 96). A 429 was
 * refused before the service acted. The document does not say so of a 503, which leaves a write in doubt as 502 does.
 */
export const remedyFor = ({ keyIn, repeat }: Pick<Operation, "repeat" | "keyIn">, error: OpenApiError): Remedy => {
  switch (error._tag) {
    case "InvalidToken":
    case "SignInRequired":
      return "renew"
    case "RateLimited":
    case "Unreachable":
      return "wait"
    case "OutcomeUnknown":
      return repeat === "once" ? "never" : "wait"
    case "ServiceFailure":
      if (error.status !== 500) return repeat === "once" ? "never" : "wait"
      return repeat === "safe" || keyIn === "body" ? "waitOnce" : "never"
    default:
      return "never"
  }
}

/** The default number of tries of a call, including the first. */
export const defaultTries = 4

/** The longest wait and the longest accepted `Retry-After`; beyond it the call fails at once. */
export const maxWait: Duration.Duration = Duration.seconds(60)

/**
 * The wait that an error asks for, in seconds as `retryAfter`, where its caller goes on without end. At most ten minutes
 * count, so that a wrong `Retry-After` stops nothing for good.
 */
export const requestedWait = (error: object): Duration.Duration =>
  "retryAfter" in error && typeof error.retryAfter === "number"
    ? Duration.min(Duration.seconds(error.retryAfter), Duration.minutes(10))
    : Duration.zero

/** An error of a busy server or of a failed connection; `retryAfter` is in seconds. */
export interface Temporary {
  readonly _tag: "RateLimited" | "SandboxUnavailable" | HttpClientError["_tag"]
  readonly retryAfter?: number | undefined
}

/** The wait after the nth failed try: 1, 2, 4 s up to `longest`, or `Retry-After` if that is longer. */
export const waitAfter = (
  tryNumber: number,
  { retryAfter = 0 }: Pick<Temporary, "retryAfter">,
  longest: Duration.DurationInput = maxWait
): Duration.Duration => Duration.max(exponentialDelay(tryNumber - 1, "1 second", longest), Duration.seconds(retryAfter))

/** Whether an error is one that {@link renewal} accepts. */
export const isRefusedToken = (error: OpenApiError): error is RefusedToken =>
  error._tag === "InvalidToken" || error._tag === "SignInRequired"

/** Whether an error is one that {@link backoff} accepts. */
export const isRetryable = (error: OpenApiError): error is Retryable =>
  error._tag === "RateLimited" ||
  error._tag === "ServiceFailure" ||
  error._tag === "Unreachable" ||
  error._tag === "OutcomeUnknown"

/** One more try at once after a 401, for a program that renews its access token. Belongs inside {@link backoff}. */
export const renewal: Schedule.Schedule<number, RefusedToken> = Schedule.recurs(1)

/** How {@link backoff} repeats: for which operation, how often, and until when. */
export interface BackoffOptions {
  /**
   * Limits the repeats to what {@link remedyFor} allows. Without it every {@link Retryable} error is repeated, but for
   * `OutcomeUnknown`: the write may have happened.
   */
  readonly operation?: Pick<Operation, "repeat" | "keyIn">
  /** How many tries there are, the first one included; {@link defaultTries} by default. */
  readonly tries?: number
  /** No try begins at this instant or later, in milliseconds of the {@link MonotonicClock}. */
  readonly endsAt?: number
}

/**
 * Exponential backoff that honours `Retry-After`, each wait up to a quarter longer so that callers spread out.
 * Its output is the wait without that quarter. Ends at once if `Retry-After` exceeds {@link maxWait}.
 *
 * @example
 * tasks.list().pipe(RetryPolicy.retryIf(RetryPolicy.isRetryable, RetryPolicy.backoff({ tries: 8 })))
 */
export const backoff = ({
  endsAt = Number.POSITIVE_INFINITY,
  operation,
  tries = defaultTries
}: BackoffOptions = {}): Schedule.Schedule<Duration.Duration, Retryable> => {
  const triesFor = (error: Retryable): number => {
    if (operation === undefined) return error._tag === "OutcomeUnknown" ? 1 : tries
    const remedy = remedyFor(operation, error)
    return remedy === "wait" ? tries : remedy === "waitOnce" ? Math.min(tries, 2) : 1
  }
  return endingBefore(endsAt)(waits(triesFor))
}

const waits = <E extends { readonly _tag: string; readonly retryAfter?: number | undefined }>(
  triesFor: (error: E) => number,
  longest: Duration.DurationInput = maxWait
): Schedule.Schedule<Duration.Duration, E> =>
  Schedule.forever.pipe(
    Schedule.intersect(Schedule.identity<E>()),
    Schedule.check((error, [failed]) => failed + 1 < triesFor(error)),
    Schedule.map(([failed, error]) => waitAfter(failed + 1, error, longest)),
    Schedule.whileOutput((wait) => Duration.lessThanOrEqualTo(wait, maxWait)),
    Schedule.delayedSchedule,
    Schedule.jitteredWith({ min: 1, max: 1.25 }),
    // In whole milliseconds, as clocks count.
    Schedule.delayed((wait) => Duration.millis(Math.round(Duration.toMillis(wait))))
  )

/** {@link backoff} for the temporary errors of the ACP channel and the artifacts: {@link defaultTries} tries. */
export const busyBackoff: Schedule.Schedule<Duration.Duration, Temporary> = waits(() => defaultTries)

/** {@link busyBackoff} without end: after 1, 2 and then 4 s each, or after a longer `Retry-After` up to {@link maxWait}. */
export const steadyBackoff: Schedule.Schedule<Duration.Duration, Temporary> = waits(
  () => Number.POSITIVE_INFINITY,
  "4 seconds"
)

/** The nth delay, counted from 0, of {@link cappedExponential}; for a caller that counts its failures itself. */
export const exponentialDelay = (
  nth: number,
  base: Duration.DurationInput,
  cap: Duration.DurationInput,
  factor = 2
): Duration.Duration => Duration.min(Duration.times(base, factor ** nth), cap)

/** Exponential backoff without end whose waits grow from `base` to `cap`. */
export const cappedExponential = (
  base: Duration.DurationInput,
  cap: Duration.DurationInput,
  factor = 2
): Schedule.Schedule<Duration.Duration> =>
  Schedule.delayedSchedule(Schedule.map(Schedule.forever, (nth) => exponentialDelay(nth, base, cap, factor)))

/** Makes no wait of a schedule shorter than the {@link requestedWait} of its error. */
export const asRequested = <Out, In extends object, R>(
  schedule: Schedule.Schedule<Out, In, R>
): Schedule.Schedule<Out, In, R> =>
  schedule.pipe(
    Schedule.intersect(Schedule.identity<In>()),
    Schedule.modifyDelay(([, error], wait) => Duration.max(wait, requestedWait(error))),
    Schedule.map(([out]) => out)
  )

/** Ends a schedule before a run that would begin at this instant of the {@link MonotonicClock} or later. */
export const endingBefore =
  (instant: number) =>
  <Out, In, R>(schedule: Schedule.Schedule<Out, In, R>): Schedule.Schedule<Out, In, R> =>
    Schedule.makeWithState(schedule.initial, (now, input: In, state) =>
      Effect.zipWith(schedule.step(now, input, state), MonotonicClock.now, ([next, out, decision], monotonic) =>
        // `now` is a time of day, as is the start of the run.
        ScheduleDecision.isContinue(decision) &&
        monotonic + ScheduleIntervals.start(decision.intervals) - now >= instant
          ? [next, out, ScheduleDecision.done]
          : [next, out, decision]
      )
    )

/** `Schedule.upTo` by the {@link MonotonicClock}: ends a schedule after this time, also where the time of day is set back. */
export const upTo =
  (limit: Duration.DurationInput) =>
  <Out, In, R>(schedule: Schedule.Schedule<Out, In, R>): Schedule.Schedule<Out, In, R> => {
    const initial: readonly [endsAt: number | undefined, state: unknown] = [undefined, schedule.initial]
    return Schedule.makeWithState(initial, (now, input: In, [endsAt, state]) =>
      Effect.zipWith(schedule.step(now, input, state), MonotonicClock.now, ([next, out, decision], monotonic) => {
        const end = endsAt ?? monotonic + Duration.toMillis(limit)
        return [[end, next], out, monotonic < end ? decision : ScheduleDecision.done]
      })
    )
  }

/**
 * Retries the errors that a refinement accepts. The schedule sees only those, in type and at run time; every other error
 * fails at once. `Effect.retry` with `while` hands every error to its schedule.
 */
export const retryIf: {
  <E, E1 extends E, R1>(
    refinement: Predicate.Refinement<NoInfer<E>, E1>,
    schedule: Schedule.Schedule<unknown, NoInfer<E1>, R1>
  ): <A, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | R1>
  <E, R1>(
    predicate: Predicate.Predicate<NoInfer<E>>,
    schedule: Schedule.Schedule<unknown, NoInfer<E>, R1>
  ): <A, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | R1>
  <A, E, R, E1 extends E, R1>(
    effect: Effect.Effect<A, E, R>,
    refinement: Predicate.Refinement<E, E1>,
    schedule: Schedule.Schedule<unknown, NoInfer<E1>, R1>
  ): Effect.Effect<A, E, R | R1>
  <A, E, R, R1>(
    effect: Effect.Effect<A, E, R>,
    predicate: Predicate.Predicate<E>,
    schedule: Schedule.Schedule<unknown, NoInfer<E>, R1>
  ): Effect.Effect<A, E, R | R1>
} = dual(
  3,
  <A, E, R, R1>(
    effect: Effect.Effect<A, E, R>,
    predicate: Predicate.Predicate<E>,
    schedule: Schedule.Schedule<unknown, E, R1>
  ): Effect.Effect<A, E, R | R1> =>
    effect.pipe(
      Effect.matchEffect({
        onSuccess: (value) => Effect.succeed<Exit.Exit<A, E>>(Exit.succeed(value)),
        onFailure: (error) => (predicate(error) ? Effect.fail(error) : Effect.succeed(Exit.fail(error)))
      }),
      Effect.retry(schedule),
      Effect.flatten
    )
)

/**
 * Like `Effect.timeoutFail`, but does not wait for the interrupted effect to end, so an uninterruptible effect does not
 * delay the caller. Cheaper than `timeoutFail` after `disconnect`, which forks twice as often.
 */
export const timeoutFailDisconnected: {
  <E2>(options: {
    readonly duration: Duration.DurationInput
    readonly onTimeout: () => E2
  }): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R>
  <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    options: { readonly duration: Duration.DurationInput; readonly onTimeout: () => E2 }
  ): Effect.Effect<A, E | E2, R>
} = dual(
  2,
  <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    { duration, onTimeout }: { readonly duration: Duration.DurationInput; readonly onTimeout: () => E2 }
  ): Effect.Effect<A, E | E2, R> => Timeout.within(effect, { duration, onTimeout, context: identity })
)

/** One try of a call: its number, counting tries after a renewal, and the error of the previous try. */
export interface Try {
  readonly number: number
  readonly previousError: OpenApiError | undefined
}

/** How a call is repeated. */
export interface Policy extends BackoffOptions {
  readonly operation: Operation
  /** Runs after each 429 with the number of milliseconds to send no request. */
  readonly onRateLimited?: (millis: number) => Effect.Effect<void>
}

/** Repeats a try as {@link remedyFor} and the deadline allow: {@link renewal} inside, {@link backoff} outside. */
export const apply =
  (policy: Policy) =>
  <A, R>(attempt: (current: Try) => Effect.Effect<A, OpenApiError, R>): Effect.Effect<A, OpenApiError, R> =>
    Effect.catchAll(attempt({ number: 1, previousError: undefined }), (error) => afterFailure(policy, attempt, error))

/** Goes on after the first try. Most calls never come here, and making the schedules costs more than a span. */
const afterFailure = <A, R>(
  policy: Policy,
  attempt: (current: Try) => Effect.Effect<A, OpenApiError, R>,
  firstError: OpenApiError
): Effect.Effect<A, OpenApiError, R> => {
  const { endsAt = Number.POSITIVE_INFINITY, onRateLimited = () => Effect.void, operation } = policy
  let next: Try = { number: 1, previousError: undefined }
  let history = RetryHistory.empty

  const tryWithRenewal = Effect.suspend(() => (next.number === 1 ? Effect.fail(firstError) : attempt(next))).pipe(
    Effect.tapError((error) => Effect.sync(() => (next = { number: next.number + 1, previousError: error }))),
    retryIf(isRefusedToken, endingBefore(endsAt)(renewal)),
    Effect.tapError((error) =>
      Effect.map(MonotonicClock.now, (now) => (history = RetryHistory.add(history, operation, error, now)))
    )
  )
  const waitSchedule = Schedule.intersect(backoff(policy), Schedule.identity<Retryable>()).pipe(
    // A longer wait, such as that after ten wrong codes, applies to this operation and not to the client.
    Schedule.tapOutput(([wait, error]) =>
      error._tag === "RateLimited" && Duration.lessThanOrEqualTo(wait, maxWait)
        ? onRateLimited(Duration.toMillis(wait))
        : Effect.void
    )
  )
  return Effect.suspend(() => Effect.zipRight(recordWait(operation, history), tryWithRenewal)).pipe(
    retryIf(isRetryable, waitSchedule),
    Effect.mapError((error) => RetryHistory.finalError(history, error, { endsAt, operation }))
  )
}

const recordWait = (operation: Operation, { failedAt, lastError }: RetryHistory.RetryHistory): Effect.Effect<void> =>
  lastError?._tag === "RateLimited"
    ? Effect.flatMap(MonotonicClock.now, (now) => Metrics.recordRateLimitWait(operation.name, now - failedAt))
    : Effect.void
