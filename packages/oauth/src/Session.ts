import type { AccessToken } from "@heddle/core/AccessToken"
import type { OpenId } from "@heddle/core/domain/OpenId"
import { type InvalidClient, type OpenApiError, OutcomeUnknown, Reauthorize } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as MonotonicClock from "./internal/MonotonicClock.ts"
import * as Renewal from "./internal/Renewal.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"
import type { TokenSet } from "./TokenSet.ts"
import { TokenStore } from "./TokenStore.ts"

/** The sessions of all grants in one process. */
export interface Sessions {
  /**
   * The access token of one grant, renewed as needed: by one refresh, however many fibers and processes ask. With an
   * `account`, `Reauthorize` once the grant is known to be another account's.
   */
  readonly forGrant: (grantId: string, account?: OpenId) => Context.Tag.Service<AccessToken>
  /** Keeps the tokens of a new authorization; while the store is down they are kept here, and writing goes on. */
  readonly adopt: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
  /** Remembers nothing of a grant that its user ended; removing it from the store is the caller's. */
  readonly forget: (grantId: string) => void
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
  const running = yield* Scope.fork(scope, ExecutionStrategy.parallel)
  let closing = false
  // Added after the scope of the refreshes, so it runs before they are waited for.
  yield* Effect.addFinalizer(() => Effect.sync(() => void (closing = true)))
  const flights = new Map<string, Deferred.Deferred<TokenSet, OpenApiError>>()
  /** Failed refreshes that no other has followed with success: nothing is sent before `until`. */
  const failures = new Map<string, Failure>()
  let circuit: { readonly error: InvalidClient; until: number } | undefined

  /** Sends a refresh, a few of all grants at a time, and none while the service refuses the application itself. */
  const someAtOnce = yield* Effect.makeSemaphore(16)
  const send = (tokens: TokenSet) =>
    Effect.flatMap(MonotonicClock.now, (now) => {
      if (circuit !== undefined && now < circuit.until) return Effect.fail(circuit.error)
      // One finds out whether it is taken again; the others go on waiting.
      if (circuit !== undefined) circuit.until = now + circuitTime
      return endpoint.refresh(tokens).pipe(
        Effect.timeoutFail({ duration: longestAnswer, onTimeout: noAnswer }),
        Effect.tap(() => Effect.sync(() => (circuit = undefined))),
        Effect.tapErrorTag("InvalidGrant", () => Effect.sync(() => (circuit = undefined))),
        Effect.tapErrorTag("InvalidClient", (error) =>
          Effect.map(MonotonicClock.now, (then) => (circuit = { error, until: then + circuitTime }))
        )
      )
    }).pipe(someAtOnce.withPermits(1))
  const { adopt, alive, end, forget, refresh } = Renewal.make(store, { send, closing: () => closing }, running)

  const noteFailure = (grant: Renewal.Live, error: OpenApiError) =>
    Effect.map(MonotonicClock.now, (now) => {
      const before = failures.get(grant.id)
      const count = before?.version === grant.version ? before.count + 1 : 1
      const asked = "retryAfter" in error && error.retryAfter !== undefined ? error.retryAfter * 1000 : 0
      const wait = Math.max(Math.min(asked, longestAsked), Math.min(shortestWait * 2 ** (count - 1), longestWait))
      failures.set(grant.id, { version: grant.version, error, count, until: now + wait })
    })

  /** The refresh of a grant that is under way, or a new one. */
  const flight = (grant: Renewal.Live): Effect.Effect<Deferred.Deferred<TokenSet, OpenApiError>> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const underWay = flights.get(grant.id)
        if (underWay !== undefined) return Effect.succeed(underWay)
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
            Effect.forkIn(running),
            Effect.as(result)
          )
        })
      })
    )

  const tokensOf = Effect.fnUntraced(function* (
    grantId: string,
    refused?: Redacted.Redacted
  ): Effect.fn.Return<TokenSet, OpenApiError> {
    const grant = yield* alive(grantId)
    const { tokens } = grant
    // Somebody has renewed it since the caller took its token.
    if (refused !== undefined && Redacted.value(refused) !== Redacted.value(tokens.accessToken)) return tokens
    const now = yield* Clock.currentTimeMillis
    const age = refused === undefined ? tokens.ageAt(now) : "expired"
    if (age === "fresh") return tokens
    if (tokens.refreshToken === undefined) {
      if (age === "stale") return tokens
      const what = refused === undefined ? "its access token has expired" : "the service refused its access token"
      return yield* end(grant, `${what} and there is no refresh token`)
    }
    const elapsed = yield* MonotonicClock.now
    const failed = failures.get(grantId)
    if (failed?.version === grant.version && elapsed < failed.until) {
      return yield* age === "stale" ? Effect.succeed(tokens) : Effect.fail(failed.error)
    }
    if (circuit !== undefined && elapsed < circuit.until) {
      return yield* age === "stale" ? Effect.succeed(tokens) : Effect.fail(circuit.error)
    }
    const result = yield* flight(grant)
    if (age === "expired") return yield* Deferred.await(result)
    if ((tokens.expiresAt ?? now) - now > Math.min(backgroundTime, tokens.skew / 2)) return tokens
    return yield* Deferred.await(result).pipe(
      // The old token is good for a little longer; only the end of the grant is final.
      Effect.catchAll((error) => (error._tag === "Reauthorize" ? Effect.fail(error) : Effect.succeed(tokens)))
    )
  })

  /** The account may change between any two calls, so it is looked at on the very tokens that are handed out. */
  const token = (grantId: string, account: OpenId | undefined, refused?: Redacted.Redacted) =>
    Effect.flatMap(tokensOf(grantId, refused), ({ accessToken, openId }) =>
      account === undefined || openId === undefined || openId === account
        ? Effect.succeed(accessToken)
        : Effect.fail(new Reauthorize({ reason: "another account is connected now" }))
    )

  return {
    adopt,
    forget: (grantId) => {
      failures.delete(grantId)
      forget(grantId)
    },
    forGrant: (grantId, account) => ({
      current: Effect.withSpan(token(grantId, account), "Session.current"),
      renew: (refused) => Effect.withSpan(token(grantId, account, refused), "Session.renew")
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
/** The longest wait that a service may ask for: a mistake of its own must not end a grant. */
const longestAsked = 10 * 60_000
/** How long the answer to a refresh is waited for. */
const longestAnswer = "15 seconds"
const noAnswer = () => new OutcomeUnknown({ operation: "refresh", reason: "the service did not answer in time" })
/** How long nothing is sent after the service refused the application itself. */
const circuitTime = 60_000
