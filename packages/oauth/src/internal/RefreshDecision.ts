import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Redacted from "effect/Redacted"
import type { TokenSet } from "../TokenSet.ts"

/** What is done when a caller wants the access token of a grant. */
export type Decision =
  | { readonly _tag: "Use" }
  /** The grant cannot be renewed any more. */
  | { readonly _tag: "End"; readonly reason: string }
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
}

export const decide = ({ blocked, now, refused, tokens }: Situation): Decision => {
  // The grant was renewed since the caller took its token.
  if (refused !== undefined && Redacted.value(refused) !== Redacted.value(tokens.accessToken)) return use
  const age = refused === undefined ? tokens.ageAt(now) : "expired"
  if (age === "fresh") return use
  if (tokens.refreshToken === undefined) {
    if (age === "stale") return use
    const what = refused === undefined ? "its access token has expired" : "the service refused its access token"
    return { _tag: "End", reason: `${what} and there is no refresh token` }
  }
  if (blocked !== undefined) return age === "stale" ? use : { _tag: "Fail", error: blocked }
  if (age === "expired") return { _tag: "Refresh", wait: "required" }
  const left = (tokens.expiresAt ?? now) - now
  return { _tag: "Refresh", wait: left > Math.min(backgroundTime, tokens.skew / 2) ? "background" : "preferred" }
}

const use: Decision = { _tag: "Use" }

/** With more than this left of a token, it is used and renewed in the background, in milliseconds. */
const backgroundTime = 30_000

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
  const requested = "retryAfter" in error && error.retryAfter !== undefined ? error.retryAfter * 1000 : 0
  const wait = Math.max(
    Math.min(requested, longestRequestedWait),
    Math.min(shortestWait * 2 ** (count - 1), longestWait)
  )
  return { version, error, count, until: now + wait }
}

/** The error of a failed refresh while no other may be sent. */
export const failureOf = (
  failure: RefreshFailure | undefined,
  version: number,
  now: number
): OpenApiError | undefined => (failure?.version === version && now < failure.until ? failure.error : undefined)

/** The waits after failed refreshes in milliseconds: each twice the one before. */
const shortestWait = 1000
const longestWait = 30_000
/** The longest wait that a service may request, in milliseconds: a mistake of its own must not end a grant. */
const longestRequestedWait = 10 * 60_000
