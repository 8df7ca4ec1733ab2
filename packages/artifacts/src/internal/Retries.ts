import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SandboxUnavailable } from "../ArtifactsError.ts"

/**
 * After 1, 2 and 4 s (contract 8), or later where `Retry-After` says so; a longer wait than a minute is left to the
 * caller.
 */
const busyBackoff: Schedule.Schedule<Duration.Duration, SandboxUnavailable> = Schedule.recurs(3).pipe(
  Schedule.intersect(Schedule.identity<SandboxUnavailable>()),
  Schedule.map(([failed, { retryAfter = 0 }]) => Duration.seconds(Math.max(2 ** failed, retryAfter))),
  Schedule.whileOutput((wait) => Duration.lessThanOrEqualTo(wait, RetryPolicy.maxWait)),
  Schedule.delayedSchedule,
  // Never earlier than asked, and up to a quarter later: callers spread out.
  Schedule.jitteredWith({ min: 1, max: 1.25 })
)

/** Repeats what a busy server refused (429, 503). */
export const whileBusy = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  RetryPolicy.retryIf(effect, isBusy<E>, busyBackoff)

/** Asking again for a list that cannot be had at the moment: for about a minute. */
export const list = RetryPolicy.cappedExponential("500 millis", "10 seconds").pipe(
  Schedule.intersect(Schedule.recurs(8))
)

/** The pause before a download goes on for the nth time, in milliseconds. */
export const resumePause = (nth: number): number => Math.min(100 * 3 ** nth, 8_000)

/** Tells whether a download may go on in spite of an answer. */
export const isTemporary = ({ retryAfter = 0, status = 0 }: SandboxUnavailable): boolean =>
  (status === 429 || status >= 500) && retryAfter <= Duration.toSeconds(RetryPolicy.maxWait)

/**
 * The seconds that `Retry-After` asks to wait: a number, or a date, measured by the answer's own `Date` where it has
 * one.
 */
export const retryAfter = (headers: Readonly<Record<string, string>>): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const text = headers["retry-after"]?.trim() ?? ""
    if (/^\d{1,9}$/.test(text)) return Number(text)
    const until = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(until)) return undefined
    const answered = Date.parse(headers["date"] ?? "")
    return Math.max(0, Math.ceil((until - (Number.isNaN(answered) ? now : answered)) / 1000))
  })

const isBusy = <E>(error: E): error is E & SandboxUnavailable =>
  error instanceof SandboxUnavailable && (error.status === 429 || error.status === 503)
