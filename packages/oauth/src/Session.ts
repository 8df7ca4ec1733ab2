import type { AccessToken } from "@heddle/core/AccessToken"
import type { InvalidClient, OpenApiError } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Renewal from "./internal/Renewal.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"
import type { TokenSet } from "./TokenSet.ts"
import { TokenStore } from "./TokenStore.ts"

/** The sessions of all grants in one process. */
export interface Sessions {
  /** The access token of one grant, renewed as needed: by one refresh, however many fibers and processes ask. */
  readonly forGrant: (grantId: string) => Context.Tag.Service<AccessToken>
}

/**
 * Keeps grants authorized. One refresh a grant runs at a time: in this process by a shared result,
 * among processes by a lease in the store, whose version fences what comes too late.
 * A refresh that was sent is finished and stored, even if everyone who asked has gone.
 */
export const make: Effect.Effect<Sessions, never, TokenStore | TokenEndpoint | Scope.Scope> = Effect.gen(function* () {
  const store = yield* TokenStore
  const endpoint = yield* TokenEndpoint
  const scope = yield* Scope.Scope
  const { alive, end, refresh } = Renewal.make(store, endpoint, scope)
  const flights = new Map<string, Deferred.Deferred<TokenSet, OpenApiError>>()
  /** Failed refreshes that no other has followed with success: nothing is sent before `until`. */
  const failures = new Map<string, Failure>()
  let circuit: { readonly error: InvalidClient; readonly until: number } | undefined

  const noteFailure = (grant: Renewal.Live, error: OpenApiError) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const before = failures.get(grant.id)
      const count = before?.version === grant.version ? before.count + 1 : 1
      const asked = "retryAfter" in error && error.retryAfter !== undefined ? error.retryAfter * 1000 : 0
      const wait = Math.max(asked, Math.min(shortestWait * 2 ** (count - 1), longestWait))
      failures.set(grant.id, { version: grant.version, error, count, until: now + wait })
      if (error._tag === "InvalidClient") circuit = { error, until: now + circuitTime }
    })

  /** The refresh of a grant that is under way, or a new one. */
  const flight = (grant: Renewal.Live): Effect.Effect<Deferred.Deferred<TokenSet, OpenApiError>> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const running = flights.get(grant.id)
        if (running !== undefined) return Effect.succeed(running)
        return Effect.flatMap(Deferred.make<TokenSet, OpenApiError>(), (result) => {
          flights.set(grant.id, result)
          return refresh(grant).pipe(
            Effect.tapBoth({
              onFailure: (error) => noteFailure(grant, error),
              onSuccess: () => Effect.sync(() => failures.delete(grant.id))
            }),
            Effect.interruptible,
            Effect.onExit((exit) => {
              flights.delete(grant.id)
              return Deferred.done(result, exit)
            }),
            Effect.forkIn(scope),
            Effect.as(result)
          )
        })
      })
    )

  const token = Effect.fnUntraced(function* (
    grantId: string,
    refused?: Redacted.Redacted
  ): Effect.fn.Return<Redacted.Redacted, OpenApiError> {
    const grant = yield* alive(grantId)
    const { tokens } = grant
    // Somebody has renewed it since the caller took its token.
    if (refused !== undefined && Redacted.value(refused) !== Redacted.value(tokens.accessToken))
      return tokens.accessToken
    const now = yield* Clock.currentTimeMillis
    const age = refused === undefined ? tokens.ageAt(now) : "expired"
    if (age === "fresh") return tokens.accessToken
    if (tokens.refreshToken === undefined) {
      if (age === "stale") return tokens.accessToken
      const what = refused === undefined ? "its access token has expired" : "the service refused its access token"
      return (yield* end(grant, `${what} and there is no refresh token`)).accessToken
    }
    const failed = failures.get(grantId)
    if (failed?.version === grant.version && now < failed.until) {
      return yield* age === "stale" ? Effect.succeed(tokens.accessToken) : Effect.fail(failed.error)
    }
    if (circuit !== undefined && now < circuit.until) {
      return yield* age === "stale" ? Effect.succeed(tokens.accessToken) : Effect.fail(circuit.error)
    }
    const result = yield* flight(grant)
    if (age === "expired") return (yield* Deferred.await(result)).accessToken
    if ((tokens.expiresAt ?? now) - now > Math.min(backgroundTime, tokens.skew / 2)) return tokens.accessToken
    return yield* Deferred.await(result).pipe(
      Effect.map((next) => next.accessToken),
      // The old token is good for a little longer; only the end of the grant is final.
      Effect.catchAll((error) =>
        error._tag === "Reauthorize" ? Effect.fail(error) : Effect.succeed(tokens.accessToken)
      )
    )
  })

  return {
    forGrant: (grantId) => ({
      current: Effect.withSpan(token(grantId), "Session.current"),
      renew: (refused) => Effect.withSpan(token(grantId, refused), "Session.renew")
    })
  }
})

/** A refresh of this version of a grant that failed, as the `count`th in a row. */
interface Failure {
  readonly version: number
  readonly error: OpenApiError
  readonly count: number
  readonly until: number
}

/** While this much is left of a token, it is used and renewed in the background. */
const backgroundTime = 30_000
/** The waits after failed renewals: each twice the one before. */
const shortestWait = 1000
const longestWait = 30_000
/** How long nothing is sent after the service refused the application itself. */
const circuitTime = 60_000
