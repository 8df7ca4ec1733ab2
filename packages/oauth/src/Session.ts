import type { AccessToken } from "@heddle/core/AccessToken"
import { type InvalidClient, type OpenApiError, Reauthorize } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { TokenEndpoint } from "./TokenEndpoint.ts"
import type { TokenSet } from "./TokenSet.ts"
import { TokenStore, type TokenStoreUnavailable } from "./TokenStore.ts"

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
  const owner = crypto.randomUUID()
  const flights = new Map<string, Deferred.Deferred<TokenSet, OpenApiError>>()
  const quietUntil = new Map<string, number>()
  let circuit: { readonly error: InvalidClient; readonly until: number } | undefined

  /** The grant, if it is alive. */
  const alive = Effect.fnUntraced(function* (grantId: string): Effect.fn.Return<Live, Reauthorize> {
    const grant = yield* reliably(store.get(grantId))
    if (Option.isNone(grant)) return yield* new Reauthorize({ reason: "it is not connected" })
    if (Option.isNone(grant.value.tokens)) {
      return yield* new Reauthorize({ reason: Option.getOrElse(grant.value.dead, () => "it was disconnected") })
    }
    return { id: grantId, version: grant.value.version, tokens: grant.value.tokens.value }
  })

  /** Ends a grant for good, unless somebody has renewed it meanwhile. */
  const end = Effect.fnUntraced(function* (grant: Live, reason: string): Effect.fn.Return<TokenSet, Reauthorize> {
    const current = yield* alive(grant.id)
    if (current.version !== grant.version) return current.tokens
    if (yield* reliably(store.kill(grant.id, grant.version, reason))) {
      yield* Effect.logWarning("A grant has ended; its user has to connect again").pipe(
        Effect.annotateLogs({ grant: grant.id, reason })
      )
      return yield* new Reauthorize({ reason })
    }
    return (yield* alive(grant.id)).tokens
  })

  /** Stores before anyone gets the token, and waits for a store that is down: the old refresh token may be void. */
  const save = (grant: Live, next: TokenSet): Effect.Effect<TokenSet, Reauthorize> =>
    store.replace(grant.id, grant.version, next).pipe(
      Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.upTo("1 minute"))),
      Effect.catchTag("TokenStoreUnavailable", (error) =>
        Effect.as(Effect.logError("Renewed tokens could not be stored", error.message), true)
      ),
      Effect.flatMap((stored) =>
        stored ? Effect.succeed(next) : Effect.map(alive(grant.id), (current) => current.tokens)
      )
    )

  /** A lease that cannot be given back ends by itself, and the caller's error matters more. */
  const release = (grant: Live): Effect.Effect<void> =>
    Effect.catchAll(store.release(grant.id, owner), (error) =>
      Effect.logDebug("A refresh lease was not released", error.message)
    )

  const refreshAsOwner = (grant: Live): Effect.Effect<TokenSet, OpenApiError> =>
    // On its own fiber: the time limit of the call still holds, but nobody's departure cancels it.
    Effect.forkDaemon(Effect.interruptible(endpoint.refresh(grant.tokens))).pipe(
      Effect.flatMap(Fiber.join),
      Effect.matchEffect({
        onSuccess: (next) => save(grant, next),
        onFailure: (error): Effect.Effect<TokenSet, OpenApiError> =>
          error._tag === "InvalidGrant"
            ? end(grant, "the service no longer accepts its refresh token")
            : Effect.zipRight(release(grant), Effect.fail(error))
      }),
      Effect.uninterruptible
    )

  /** Refreshes as the owner of the lease, or waits for the tokens of whoever has it. */
  const refresh = (grant: Live): Effect.Effect<TokenSet, OpenApiError> =>
    Effect.gen(function* () {
      for (let wait = 40; ; wait = Math.min(wait * 1.5, 500)) {
        const now = yield* Clock.currentTimeMillis
        const owned = yield* Effect.uninterruptible(
          Effect.flatMap(
            reliably(store.lease(grant.id, grant.version, { owner, now, until: now + leaseTime })),
            (leased) => (leased ? Effect.asSome(refreshAsOwner(grant)) : Effect.succeedNone)
          )
        )
        if (Option.isSome(owned)) return owned.value
        const current = yield* alive(grant.id)
        if (current.version !== grant.version) return current.tokens
        yield* Effect.sleep(wait * (0.75 + Math.random() / 2))
      }
    })

  const noteFailure = (grant: Live, error: OpenApiError) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      quietUntil.set(grant.id, now + quietTime)
      if (error._tag === "InvalidClient") circuit = { error, until: now + circuitTime }
    })

  /** The refresh of a grant that is under way, or a new one. */
  const flight = (grant: Live): Effect.Effect<Deferred.Deferred<TokenSet, OpenApiError>> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const running = flights.get(grant.id)
        if (running !== undefined) return Effect.succeed(running)
        return Effect.flatMap(Deferred.make<TokenSet, OpenApiError>(), (result) => {
          flights.set(grant.id, result)
          return refresh(grant).pipe(
            Effect.tapError((error) => noteFailure(grant, error)),
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
      return age === "stale"
        ? tokens.accessToken
        : (yield* end(grant, "its access token has expired and there is no refresh token")).accessToken
    }
    if (age === "stale" && now < (quietUntil.get(grantId) ?? 0)) return tokens.accessToken
    if (circuit !== undefined && now < circuit.until) {
      return yield* age === "stale" ? Effect.succeed(tokens.accessToken) : Effect.fail(circuit.error)
    }
    const result = yield* flight(grant)
    if (age === "expired") return (yield* Deferred.await(result)).accessToken
    if ((tokens.expiresAt ?? now) - now > backgroundTime) return tokens.accessToken
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

interface Live {
  readonly id: string
  readonly version: number
  readonly tokens: TokenSet
}

/** A short outage of the store is waited out; a longer one is a defect. */
const reliably = <A>(use: Effect.Effect<A, TokenStoreUnavailable>): Effect.Effect<A> =>
  use.pipe(Effect.retry(Schedule.spaced("250 millis").pipe(Schedule.upTo("5 seconds"))), Effect.orDie)

/** Longer than one attempt at the token endpoint; a crashed owner holds others up for no longer. */
const leaseTime = 45_000
/** While this much is left of a token, it is used and renewed in the background. */
const backgroundTime = 30_000
/** How long a living token is used without another try after a failed renewal. */
const quietTime = 10_000
/** How long nothing is sent after the service refused the application itself. */
const circuitTime = 60_000
