import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { SandboxUnavailable } from "../ArtifactsError.ts"

/** The longest `Retry-After` that is waited for, in seconds, as for every other call of the service. */
export const longestWait = 60

/**
 * Repeats what a busy server refused (429, 503) after 1, 2 and 4 s (spec 8), or later where `Retry-After` says so.
 *
 * A wait that is too long is left to the caller.
 */
export const retry = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const attempt = (failed: number): Effect.Effect<A, E, R> =>
    Effect.catchAll(effect, (error) => {
      if (!isBusy(error) || failed === repeats) return Effect.fail(error)
      const seconds = Math.max(2 ** failed, error.retryAfter ?? 0)
      if (seconds > longestWait) return Effect.fail(error)
      return Effect.flatMap(Random.next, (chance) =>
        Effect.zipRight(Effect.sleep(seconds * 1000 * (1 + jitter * chance)), attempt(failed + 1))
      )
    })
  return attempt(0)
}

/** The seconds that an answer asks to wait, by a number or by a date, which its own `Date` makes independent of clocks. */
export const retryAfter = (headers: Readonly<Record<string, string>>): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const text = headers["retry-after"]?.trim() ?? ""
    if (/^\d{1,9}$/.test(text)) return Number(text)
    const until = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(until)) return undefined
    const answered = Date.parse(headers["date"] ?? "")
    return Math.max(0, Math.ceil((until - (Number.isNaN(answered) ? now : answered)) / 1000))
  })

const repeats = 3

/** Never earlier than asked, and so much of the wait later: a herd spreads out. */
const jitter = 0.25

const isBusy = (error: unknown): error is SandboxUnavailable =>
  error instanceof SandboxUnavailable && (error.status === 429 || error.status === 503)
