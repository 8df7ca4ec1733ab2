import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type { TokenSet } from "../TokenSet.ts"

/** What is done when a caller wants the access token of a grant. */
export type Decision =
  | { readonly _tag: "Use" }
  /** The grant cannot be renewed any more. */
  | { readonly _tag: "Reauthorize"; readonly reason: string }
  | { readonly _tag: "Fail"; readonly error: OpenApiError }
  /**
   * `required`: only new tokens help. `preferred`: the caller waits for new tokens and uses the old ones where the
   * refresh fails. `background`: the caller uses the old ones at once.
   */
  | { readonly _tag: "Refresh"; readonly wait: "required" | "preferred" | "background" }

/** What decides: the tokens, the token that the service refused to the caller, and why no refresh may be sent now. */
export interface Situation {
  readonly tokens: TokenSet
  readonly refused: Redacted.Redacted | undefined
  /** Epoch milliseconds. */
  readonly now: number
  readonly blocked: OpenApiError | undefined
  /** The present token was refused right after its renewal, a short time ago: another would be refused, too. */
  readonly isRefusedAgain: boolean
}

export const decide = ({ blocked, isRefusedAgain, now, refused, tokens }: Situation): Decision => {
  // The grant was renewed since the caller took its token.
  if (refused !== undefined && Redacted.value(refused) !== Redacted.value(tokens.accessToken)) return use
  if (refused !== undefined && isRefusedAgain && tokens.ageAt(now) !== "expired") return use
  const age = refused === undefined ? tokens.ageAt(now) : "expired"
  if (age === "fresh") return use
  if (tokens.refreshToken === undefined) {
    if (age === "stale") return use
    const what = refused === undefined ? "its access token has expired" : "the service refused its access token"
    return { _tag: "Reauthorize", reason: `${what} and there is no refresh token` }
  }
  if (blocked !== undefined) return age === "stale" ? use : { _tag: "Fail", error: blocked }
  if (age === "expired") return { _tag: "Refresh", wait: "required" }
  const left = (tokens.expiresAt ?? now) - now
  return { _tag: "Refresh", wait: left > Math.min(backgroundRefreshMs, tokens.skew / 2) ? "background" : "preferred" }
}

const use: Decision = { _tag: "Use" }

/** A stale token with more time left than this is used while it is refreshed. */
const backgroundRefreshMs = 30_000

/** A refresh of one version of a grant that failed, as the `count`th in a row: none is sent before `until`. */
export interface RefreshFailure {
  readonly version: number
  readonly error: OpenApiError
  readonly count: number
  /** Milliseconds of the monotonic clock. */
  readonly until: number
}

/** The failures of a grant after one more. */
export const addFailure = (
  before: RefreshFailure | undefined,
  version: number,
  error: OpenApiError,
  now: number
): RefreshFailure => {
  const count = before?.version === version ? before.count + 1 : 1
  const backoff = RetryPolicy.exponentialDelay(count - 1, minWait, maxWait)
  const wait = Duration.max(RetryPolicy.requestedWait(error), backoff)
  return { version, error, count, until: now + Duration.toMillis(wait) }
}

/** The error of a failed refresh while no other may be sent. */
export const failureOf = (
  failure: RefreshFailure | undefined,
  version: number,
  now: number
): OpenApiError | undefined => (failure?.version === version && now < failure.until ? failure.error : undefined)

/** A token that was refused right after its renewal, as the `count`th in a row: it is not renewed before `until`. */
export interface Refusal {
  readonly accessToken: Redacted.Redacted
  readonly count: number
  /** Milliseconds of the monotonic clock. */
  readonly until: number
}

/** The refusal of a token right after its renewal. Calls that share a token count once. */
export const addRefusal = (before: Refusal | undefined, accessToken: Redacted.Redacted, now: number): Refusal => {
  if (before !== undefined && Redacted.value(before.accessToken) === Redacted.value(accessToken)) return before
  const count = before !== undefined && now < before.until + refusalMemoryMs ? before.count + 1 : 1
  const wait = RetryPolicy.exponentialDelay(count - 1, minRefusalWait, maxWait)
  return { accessToken, count, until: now + Duration.toMillis(wait) }
}

/** Whether these tokens were refused right after their renewal, a short time ago. */
export const isRefused = (refusal: Refusal | undefined, { accessToken }: TokenSet, now: number): boolean =>
  refusal !== undefined && now < refusal.until && Redacted.value(refusal.accessToken) === Redacted.value(accessToken)

/** How long after the end of a wait another refusal doubles it. */
const refusalMemoryMs = 60_000
const minRefusalWait = "5 seconds"

/** The waits after failed refreshes double from the minimum to the maximum. */
const minWait = "1 second"
const maxWait = "30 seconds"
