import { OpenId } from "@heddle/core/domain/OpenId"
import * as Scope from "@heddle/core/domain/Scope"
import type { TokenResponse } from "@heddle/core/domain/Token"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const optional = { exact: true } as const

/**
 * The tokens of one grant. Times are epoch milliseconds, counted from the moment the request for them was sent.
 * Without `expiresAt` the access token is used until the service refuses it (contract decision 34).
 */
export class TokenSet extends Schema.Class<TokenSet>("@heddle/oauth/TokenSet")({
  accessToken: Schema.Redacted(Schema.NonEmptyString),
  refreshToken: Schema.optionalWith(Schema.Redacted(Schema.NonEmptyString), optional),
  obtainedAt: Schema.Number,
  expiresAt: Schema.optionalWith(Schema.Number, optional),
  scopes: Schema.optionalWith(Scope.ScopeSet, optional),
  openId: Schema.optionalWith(OpenId, optional)
}) {
  /**
   * `fresh`; `stale`: still good, but due for renewal, in the last 10 % of its life and at most 5 minutes; or
   * `expired`.
   */
  ageAt(now: number): "fresh" | "stale" | "expired" {
    if (this.expiresAt === undefined) return "fresh"
    if (now >= this.expiresAt) return "expired"
    return now >= this.expiresAt - this.skew ? "stale" : "fresh"
  }

  /** How long before its end it is due for renewal, in milliseconds. */
  get skew(): number {
    return this.expiresAt === undefined ? 0 : Math.min(maxSkewMs, (this.expiresAt - this.obtainedAt) / 10)
  }
}

/**
 * The tokens that an answer of the token endpoint gives.
 * What a refresh leaves out or empty, its refresh token above all, stays as it was (contract decisions 28, 33). An `expires_in`
 * that is not positive or beyond ten years counts as left out.
 */
export const fromResponse = (
  response: TokenResponse,
  options: {
    readonly sentAt: number
    readonly previous?: TokenSet | undefined
    readonly requested?: ReadonlySet<Scope.Scope> | undefined
  }
): TokenSet => {
  const { previous, requested, sentAt } = options
  const next = response.refreshToken
  const refreshToken = next === undefined || Redacted.value(next) === "" ? previous?.refreshToken : next
  const { expiresIn } = response
  const granted = response.scope?.size === 0 ? undefined : response.scope
  const scopes = granted ?? requested ?? previous?.scopes
  // An empty id is none.
  const openId = response.openId || previous?.openId
  return new TokenSet({
    accessToken: response.accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    obtainedAt: sentAt,
    ...(expiresIn === undefined || expiresIn <= 0 || expiresIn > maxLifetimeSeconds
      ? {}
      : { expiresAt: sentAt + expiresIn * 1000 }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(openId === undefined ? {} : { openId })
  })
}

// Beyond ten years, in seconds, a number says nothing about a token, and soon it is no time at all.
const maxLifetimeSeconds = 10 * 366 * 86_400

const maxSkewMs = 5 * 60_000
