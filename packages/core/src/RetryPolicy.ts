import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { dual } from "effect/Function"
import type * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type { NoInfer } from "effect/Types"
import * as RetryHistory from "./internal/RetryHistory.ts"
import * as Metrics from "./Metrics.ts"
import type {
  InvalidToken,
  OpenApiError,
  OutcomeUnknown,
  RateLimited,
  ServiceFailure,
  Unreachable
} from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/**
 * What a call does about an error. `renew`: renew the token and try at once, once between two waits.
 * `wait`: try again after 1, 2, 4 s. `waitOnce`: try once more after 1 s. `never`: fail.
 */
export type Remedy = "renew" | "wait" | "waitOnce" | "never"

/**
 * The errors that another try may cure. Final refusals such as `InvalidGrant` are not among them: no schedule of this
 * module accepts one, so a retry of it does not compile.
 */
export type Retryable = RateLimited | ServiceFailure | Unreachable | OutcomeUnknown

/** The remedy for an error of an operation (contract 7.1, decisions 17, 18, 96). */
export const remedy = ({ key, repeat }: Pick<Operation, "repeat" | "key">, error: OpenApiError): Remedy => {
  switch (error._tag) {
    case "InvalidToken":
      return "renew"
    case "RateLimited":
    case "Unreachable":
      return "wait"
    case "OutcomeUnknown":
      return repeat === "once" ? "never" : "wait"
    case "ServiceFailure":
      if (error.status !== 500) return repeat === "once" ? "never" : "wait"
      return repeat === "safe" || key === "body" ? "waitOnce" : "never"
    default:
      return "never"
  }
}

/** How many tries a call has. */
export const defaultTries = 4

/** The longest wait and the longest accepted `Retry-After`; beyond it the call fails at once. */
export const maxWait: Duration.Duration = Duration.seconds(60)

/** The wait after the nth failed try: 1, 2, 4 s, or `Retry-After` if that is longer. */
export const waitAfter = (nth: number, error: OpenApiError): Duration.Duration =>
  Duration.max(
    Duration.min(Duration.seconds(2 ** (nth - 1)), maxWait),
    Duration.seconds("retryAfter" in error ? (error.retryAfter ?? 0) : 0)
  )

/** Whether an error is one that {@link renewal} accepts. */
export const isInvalidToken = (error: OpenApiError): error is InvalidToken => error._tag === "InvalidToken"

/** Whether an error is one that {@link backoff} accepts. */
export const isRetryable = (error: OpenApiError): error is Retryable =>
  error._tag === "RateLimited" ||
  error._tag === "ServiceFailure" ||
  error._tag === "Unreachable" ||
  error._tag === "OutcomeUnknown"

/** One more try at once after a 401, for a program that renews its access token. Belongs inside {@link backoff}. */
export const renewal: Schedule.Schedule<number, InvalidToken> = Schedule.recurs(1)

/** How {@link backoff} repeats: for which operation, how often, and until when. */
export interface BackoffOptions {
  /** Limits the repeats to what its {@link remedy} allows; without it every {@link Retryable} error is repeated. */
  readonly operation?: Pick<Operation, "repeat" | "key">
  /** How many tries there are, the first one included; {@link defaultTries} by default. */
  readonly tries?: number
  /** No try begins at this instant or later, in milliseconds of the clock. */
  readonly endsAt?: number
}

/**
 * Exponential backoff that honours `Retry-After`, each wait up to a quarter longer so that callers spread out.
 * Its output is the wait without that quarter. Ends at once where `Retry-After` exceeds {@link maxWait}.
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
    const step = operation === undefined ? "wait" : remedy(operation, error)
    return step === "wait" ? tries : step === "waitOnce" ? Math.min(tries, 2) : 1
  }
  return Schedule.forever.pipe(
    Schedule.intersect(Schedule.identity<Retryable>()),
    Schedule.check((error, [failed]) => failed + 1 < triesFor(error)),
    Schedule.map(([failed, error]) => waitAfter(failed + 1, error)),
    Schedule.whileOutput((wait) => Duration.lessThanOrEqualTo(wait, maxWait)),
    Schedule.delayedSchedule,
    Schedule.jitteredWith({ min: 1, max: 1.25 }),
    endingBefore(endsAt)
  )
}

/** Exponential backoff without end whose waits grow from `base` to `cap`. */
export const cappedExponential = (
  base: Duration.DurationInput,
  cap: Duration.DurationInput,
  factor = 2
): Schedule.Schedule<Duration.Duration> =>
  Schedule.exponential(base, factor).pipe(Schedule.modifyDelay((_, delay) => Duration.min(delay, cap)))

/** Ends a schedule before a run that would begin at this instant (epoch milliseconds) or later. */
export const endingBefore =
  (instant: number) =>
  <Out, In, R>(schedule: Schedule.Schedule<Out, In, R>): Schedule.Schedule<Out, In, R> =>
    Schedule.makeWithState(schedule.initial, (now, input: In, state) =>
      Effect.map(schedule.step(now, input, state), ([next, out, decision]) =>
        ScheduleDecision.isContinue(decision) && ScheduleIntervals.start(decision.intervals) >= instant
          ? [next, out, ScheduleDecision.done]
          : [next, out, decision]
      )
    )

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
 * Like `Effect.timeoutFail`, but does not wait for the end of an effect that is cut off or interrupted: one that cannot
 * be cancelled delays no caller. Cheaper than `timeoutFail` after `disconnect`, which forks twice as often.
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
  ): Effect.Effect<A, E | E2, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipWith(
        Effect.forkDaemon(Effect.interruptible(effect)),
        Effect.forkDaemon(Effect.interruptible(Effect.sleep(duration))),
        (work, timer) =>
          Effect.ensuring(
            restore(
              Effect.async<A, E | E2>((resume) => {
                work.addObserver(resume)
                timer.addObserver((exit) => {
                  if (Exit.isSuccess(exit)) resume(Effect.failSync(onTimeout))
                })
              })
            ),
            Effect.sync(() => {
              for (const fiber of [work, timer]) {
                if (fiber.unsafePoll() === null) fiber.unsafeInterruptAsFork(FiberId.none)
              }
            })
          )
      ).pipe(Effect.flatten)
    )
)

/** One try of a call: its number, renewed tries included, and the error of the try before. */
export interface Try {
  readonly number: number
  readonly after: OpenApiError | undefined
}

/** How a call is repeated. */
export interface Policy extends BackoffOptions {
  readonly operation: Operation
  /** Runs after each 429, with how many milliseconds nothing should be sent. */
  readonly onLimited?: (millis: number) => Effect.Effect<void>
}

/** Repeats a try as the table and the deadline allow: {@link renewal} inside, {@link backoff} outside. */
export const apply =
  (policy: Policy) =>
  <A, R>(attempt: (one: Try) => Effect.Effect<A, OpenApiError, R>): Effect.Effect<A, OpenApiError, R> =>
    Effect.suspend(() => {
      const { endsAt = Number.POSITIVE_INFINITY, onLimited = () => Effect.void, operation } = policy
      let next: Try = { number: 1, after: undefined }
      let history = RetryHistory.empty

      const renewed = Effect.suspend(() => attempt(next)).pipe(
        Effect.tapError((after) => Effect.sync(() => (next = { number: next.number + 1, after }))),
        retryIf(isInvalidToken, endingBefore(endsAt)(renewal)),
        Effect.tapError((error) =>
          Effect.map(Clock.currentTimeMillis, (now) => (history = RetryHistory.add(history, operation, error, now)))
        )
      )
      const waits = Schedule.intersect(backoff(policy), Schedule.identity<Retryable>()).pipe(
        // A longer wait, such as that after ten wrong codes, concerns this operation and not the whole client.
        Schedule.tapOutput(([wait, error]) =>
          error._tag === "RateLimited" && Duration.lessThanOrEqualTo(wait, maxWait)
            ? onLimited(Duration.toMillis(wait))
            : Effect.void
        )
      )
      return Effect.suspend(() => Effect.zipRight(noteWait(operation, history), renewed)).pipe(
        retryIf(isRetryable, waits),
        Effect.mapError((error) => RetryHistory.finalError(history, error, endsAt))
      )
    })

const noteWait = (operation: Operation, { failedAt, last }: RetryHistory.RetryHistory): Effect.Effect<void> =>
  last?._tag === "RateLimited"
    ? Effect.flatMap(Clock.currentTimeMillis, (now) => Metrics.waited(operation.name, now - failedAt))
    : Effect.void
