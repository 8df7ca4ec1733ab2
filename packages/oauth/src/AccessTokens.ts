import type { AccessToken } from "@heddle/core/AccessToken"
import * as CallOptions from "@heddle/core/CallOptions"
import type { OpenId } from "@heddle/core/domain/OpenId"
import { type OpenApiError, OutcomeUnknown, Reauthorize } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { type ActiveGrant, forget, makeCache } from "./internal/ActiveGrant.ts"
import * as CircuitBreaker from "./internal/CircuitBreaker.ts"
import * as GrantReader from "./internal/GrantReader.ts"
import * as GrantWriter from "./internal/GrantWriter.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RefreshDecision from "./internal/RefreshDecision.ts"
import * as RefreshMemory from "./internal/RefreshMemory.ts"
import * as Renewal from "./internal/Renewal.ts"
import * as SingleFlight from "./internal/SingleFlight.ts"
import * as TokenStoreTimeout from "./internal/TokenStoreTimeout.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"
import type { TokenSet } from "./TokenSet.ts"
import { TokenStore } from "./TokenStore.ts"

/** The access tokens of all grants in one process. */
export interface AccessTokens {
  /**
   * The access token of one grant, renewed as needed: by one refresh, however many fibers and processes ask. With an
   * `account`, `Reauthorize` once the grant is known to be another account's.
   */
  readonly forGrant: (grantId: string, account?: OpenId) => Context.Tag.Service<AccessToken>
  /** Stores the tokens of a new authorization. While the store is down they are kept here, and writing goes on. */
  readonly save: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
  /** Drops what is known of a grant that its user ended; the caller removes it from the store. */
  readonly forget: (grantId: string) => void
}

/**
 * Keeps grants authorized. One refresh of a grant runs at a time. In this process its result is shared; among processes
 * the store has a lease, whose version fences late writes. A refresh that was sent is finished and stored, even if all
 * callers are gone.
 */
export const make: Effect.Effect<AccessTokens, never, TokenStore | TokenEndpoint | Scope.Scope> = Effect.gen(
  function* () {
    const store = TokenStoreTimeout.make(yield* TokenStore)
    const { closing, scope } = yield* refreshScope
    const cache = makeCache()
    const read = GrantReader.make(store, cache)
    const writer = GrantWriter.make(store, cache, scope)
    const breaker = CircuitBreaker.make()
    const send = yield* makeSend(breaker)
    const { end, refresh } = Renewal.make({ store, read, writer, send, closing })
    const startRefresh = SingleFlight.make<TokenSet, OpenApiError>(scope)
    const memory = RefreshMemory.make()

    const refreshOnce = (grant: ActiveGrant) =>
      startRefresh(
        grant.id,
        Effect.tapBoth(refresh(grant), {
          onFailure: (error) => memory.failed(grant, error),
          onSuccess: () => memory.succeeded(grant)
        })
      )

    const tokensOf = Effect.fnUntraced(function* (
      grantId: string,
      refused: Redacted.Redacted | undefined
    ): Effect.fn.Return<TokenSet, OpenApiError> {
      const grant = yield* read(grantId)
      const { tokens } = grant
      const { failure, isRefusedAgain } = yield* memory.recall(grant)
      const decision = RefreshDecision.decide({
        tokens,
        refused,
        now: yield* Clock.currentTimeMillis,
        blocked: failure ?? breaker.refusal(yield* MonotonicClock.now),
        isRefusedAgain
      })
      switch (decision._tag) {
        case "Use":
          return tokens
        case "Reauthorize":
          return yield* end(grant, decision.reason)
        case "Fail":
          return yield* decision.error
        case "Refresh": {
          const result = yield* refreshOnce(grant)
          if (decision.wait === "background") return tokens
          if (decision.wait === "required") return yield* Deferred.await(result)
          // The old token is good for a little longer; only the end of the grant is final.
          return yield* Effect.catchAll(Deferred.await(result), (error) =>
            error._tag === "Reauthorize" ? Effect.fail(error) : Effect.succeed(tokens)
          )
        }
      }
    })

    /** Checks the account on the very tokens that are handed out: it may change between any two calls. */
    const token = (grantId: string, account: OpenId | undefined, refused?: Redacted.Redacted) =>
      Effect.flatMap(tokensOf(grantId, refused), ({ accessToken, openId }) =>
        account === undefined || openId === undefined || openId === account
          ? Effect.succeed(accessToken)
          : Effect.fail(new Reauthorize({ reason: "another account is connected now" }))
      )

    return {
      save: writer.create,
      forget: (grantId) => {
        memory.forget(grantId)
        forget(cache, grantId)
      },
      forGrant: (grantId, account) => ({
        current: Effect.withSpan(token(grantId, account), "AccessTokens.current"),
        renew: (refused) => Effect.withSpan(token(grantId, account, refused), "AccessTokens.renew"),
        refusedAgain: (refused) => memory.refusedAgain(grantId, refused)
      })
    }
  }
)

/** The scope of the refreshes, which ends after those that were sent. `closing` is true once it is about to end. */
const refreshScope = Effect.gen(function* () {
  const scope = yield* Scope.fork(yield* Scope.Scope, ExecutionStrategy.parallel)
  let closing = false
  // Added after the scope of the refreshes, so it runs before that scope waits for them.
  yield* Effect.addFinalizer(() => Effect.sync(() => void (closing = true)))
  return { scope, closing: () => closing }
})

/** Sends refreshes, a few of all grants at a time. */
const makeSend = Effect.fnUntraced(function* (breaker: CircuitBreaker.CircuitBreaker) {
  const endpoint = yield* TokenEndpoint
  const permits = yield* Effect.makeSemaphore(concurrentRefreshes)
  return (tokens: TokenSet): Effect.Effect<TokenSet, OpenApiError> =>
    endpoint.refresh(tokens).pipe(
      // No retry here: after 429 a caller keeps a token that is still valid. Only a call that needs a new one waits.
      CallOptions.with({ retry: "none" }),
      Effect.timeoutFail({
        duration: responseTimeout,
        onTimeout: () => new OutcomeUnknown({ operation: "refresh", reason: "the service did not answer in time" })
      }),
      breaker.protect,
      permits.withPermits(1)
    )
})

const concurrentRefreshes = 16

/** How long a refresh waits for its answer. */
const responseTimeout = "15 seconds"
