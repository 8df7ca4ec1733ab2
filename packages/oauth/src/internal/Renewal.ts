import {
  type InvalidGrant,
  type OpenApiError,
  type OutcomeUnknown,
  Reauthorize,
  Unreachable
} from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Metrics from "../Metrics.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as RetrySchedules from "./RetrySchedules.ts"
import * as TokenStoreTimeout from "./TokenStoreTimeout.ts"
import type { TokenSet } from "../TokenSet.ts"
import type { TokenStore, TokenStoreUnavailable } from "../TokenStore.ts"

/** A grant that has tokens, and what is known of refreshes of this version. */
export interface Live {
  readonly id: string
  readonly version: number
  readonly tokens: TokenSet
  readonly refresh: "none" | "leased" | "lost"
  readonly leasedUntil: number
}

export interface Renewal {
  /** Keeps the tokens of a new authorization; while the store is down they are kept here, and writing goes on. */
  readonly adopt: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
  /** Takes a grant that its user ended for one that was never there, whatever the store says. */
  readonly forget: (grantId: string) => void
  /** The grant as it is stored, if it is alive. */
  readonly alive: (grantId: string) => Effect.Effect<Live, Reauthorize | Unreachable>
  /**
   * Ends a grant for good; where somebody has renewed it meanwhile, the fence holds and their tokens are used.
   * `refusal` is what ended it, where the service did.
   */
  readonly end: (
    grant: Live,
    reason: string,
    refusal?: InvalidGrant
  ) => Effect.Effect<TokenSet, Reauthorize | Unreachable>
  /** Refreshes as the owner of the lease, or waits for the tokens of whoever has it. */
  readonly refresh: (grant: Live) => Effect.Effect<TokenSet, OpenApiError>
}

/** The service that refreshes, as this process reaches it. */
export interface Service {
  readonly send: (tokens: TokenSet) => Effect.Effect<TokenSet, OpenApiError>
  /** This process is about to end: what was sent is waited for, and nothing is sent any more. */
  readonly closing: () => boolean
}

/** One refresh at a time among all processes, by a lease that its owner keeps extending and a version that fences what comes too late. */
export const make = (
  given: Context.Tag.Service<TokenStore>,
  { closing, send }: Service,
  scope: Scope.Scope
): Renewal => {
  const store = TokenStoreTimeout.make(given)
  const owner = crypto.randomUUID()
  /** Renewed tokens that a store which is down has not taken yet, with the version that they replace. */
  const unsaved = new Map<string, Live>()
  /** Tokens of new authorizations that the store has not taken yet. */
  const adopted = new Map<string, Live>()
  /** Each of the grants that were used last, as it was seen, for while the store is down. */
  const seen = new Map<string, Live>()

  /** Until then a store that failed counts as down. */
  let downUntil = 0

  const see = (live: Live) => {
    seen.delete(live.id)
    seen.set(live.id, live)
    if (seen.size <= mostSeen) return
    const [oldest] = seen.keys()
    if (oldest !== undefined) seen.delete(oldest)
  }

  /** What this process still knows of a grant that the store does not tell, as long as its token lives. */
  const remembered = (grantId: string, error: Unreachable): Effect.Effect<Live, Unreachable> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const live = unsaved.get(grantId) ?? seen.get(grantId)
      return live === undefined || live.tokens.ageAt(now) === "expired" ? Effect.fail(error) : Effect.succeed(live)
    })

  /** The row. A store that is down is waited for once; then nobody who still has a good token waits for it again. */
  const row = (grantId: string) =>
    Effect.flatMap(MonotonicClock.now, (now) => {
      const down = now < downUntil
      return (down ? Effect.mapError(store.get(grantId), unreachable) : reliably(store.get(grantId))).pipe(
        Effect.tapError(() => Effect.map(MonotonicClock.now, (then) => (downUntil = then + downTime)))
      )
    })

  const alive = (grantId: string): Effect.Effect<Live, Reauthorize | Unreachable> =>
    Effect.suspend(() => {
      const fresh = adopted.get(grantId)
      return fresh === undefined ? stored(grantId) : Effect.succeed(fresh)
    })

  const stored = (grantId: string): Effect.Effect<Live, Reauthorize | Unreachable> =>
    row(grantId).pipe(
      Effect.flatMap((found): Effect.Effect<Live, Reauthorize> => {
        const grant = Option.getOrUndefined(found)
        if (grant === undefined || Option.isNone(grant.tokens)) {
          seen.delete(grantId)
          const reason =
            grant === undefined ? "it is not connected" : Option.getOrElse(grant.dead, () => "it was disconnected")
          return Effect.fail(new Reauthorize({ reason }))
        }
        const { leasedUntil, refresh, version } = grant
        const newer = unsaved.get(grantId)
        const tokens = newer?.version === version ? newer.tokens : grant.tokens.value
        const live = { id: grantId, version, refresh, leasedUntil, tokens }
        see(live)
        return Effect.succeed(live)
      }),
      Effect.catchTag("Unreachable", (error) => remembered(grantId, error))
    )

  const end = Effect.fnUntraced(function* (
    grant: Live,
    reason: string,
    refusal?: InvalidGrant
  ): Effect.fn.Return<TokenSet, Reauthorize | Unreachable> {
    if (yield* reliably(store.kill(grant.id, grant.version, reason))) {
      yield* Effect.logWarning("A grant has ended; its user has to connect again").pipe(
        Effect.annotateLogs({ grant: grant.id, reason })
      )
      return yield* new Reauthorize({ reason, ...(refusal === undefined ? {} : saidBy(refusal)) })
    }
    return (yield* alive(grant.id)).tokens
  })

  const forget = (grantId: string) => {
    for (const each of [unsaved, adopted, seen]) each.delete(grantId)
  }

  const adopt = (id: string, tokens: TokenSet): Effect.Effect<void> => {
    const live: Live = { id, version: 0, tokens, refresh: "none", leasedUntil: 0 }
    const write = Effect.suspend(() => (adopted.get(id) === live ? store.put(id, tokens) : Effect.void))
    return Effect.suspend(() => {
      forget(id)
      adopted.set(id, live)
      const done = Effect.sync(() => {
        if (adopted.get(id) === live) adopted.delete(id)
      })
      return write.pipe(
        Effect.retry(RetrySchedules.storeWriteInCall),
        Effect.zipRight(done),
        Effect.catchAll((error) =>
          Effect.logError("The tokens of a new authorization could not be stored yet; trying on", error.message).pipe(
            Effect.zipRight(
              write.pipe(
                Effect.retry(RetrySchedules.storeWrite),
                Effect.zipRight(done),
                Effect.interruptible,
                Effect.forkIn(scope)
              )
            )
          )
        )
      )
    }).pipe(Effect.asVoid, Effect.uninterruptible)
  }

  /** Stores before anyone gets the token. While the store is down the pair is kept here, and writing goes on. */
  const save = (grant: Live, next: TokenSet): Effect.Effect<TokenSet, Reauthorize | Unreachable> => {
    const write = store.replace(grant.id, grant.version, next)
    return write.pipe(
      Effect.retry(RetrySchedules.storeWriteInCall),
      Effect.catchTag("TokenStoreUnavailable", (error) =>
        Effect.gen(function* () {
          unsaved.set(grant.id, { ...grant, tokens: next })
          yield* Effect.logError("Renewed tokens could not be stored yet; trying on", error.message)
          yield* write.pipe(
            Effect.retry(RetrySchedules.storeWrite),
            Effect.ensuring(Effect.sync(() => unsaved.delete(grant.id))),
            Effect.interruptible,
            Effect.forkIn(scope)
          )
          return true
        })
      ),
      Effect.flatMap((stored) =>
        stored ? Effect.succeed(next) : Effect.map(alive(grant.id), (current) => current.tokens)
      )
    )
  }

  /** A lease that cannot be given back ends by itself, and the caller's error matters more. */
  const release = (grant: Live, settled: boolean): Effect.Effect<void> =>
    Effect.catchAll(store.release(grant.id, owner, settled), (error) =>
      Effect.logDebug("A refresh lease was not released", error.message)
    )

  const lease = (grant: Live, abandoned?: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      store.lease(grant.id, grant.version, { owner, now: now - skew, until: now + leaseTime, abandoned })
    )

  /**
   * The refresh itself, on its own fiber: its time limit still holds, but nobody's departure cancels it. An answer that
   * was lost is asked for again at once: the old refresh token is the only one there is, and a service that rotates
   * answers a repeat within its grace period with the same tokens.
   */
  const ask = (grant: Live, onLost: () => void): Effect.Effect<TokenSet, OpenApiError> =>
    Effect.flatMap(MonotonicClock.now, (began) =>
      send(grant.tokens).pipe(
        Effect.tapError((error) => Metrics.refreshed(error._tag)),
        Effect.tapErrorTag("OutcomeUnknown", () => Effect.sync(onLost)),
        RetryPolicy.retryIf(
          isLost,
          Schedule.checkEffect(RetrySchedules.lostRefresh, () =>
            Effect.map(MonotonicClock.now, (now) => now - began < longestAsking && !closing())
          )
        )
      )
    ).pipe(Effect.interruptible, Effect.forkDaemon, Effect.flatMap(Fiber.join))

  const refreshAsOwner = (grant: Live): Effect.Effect<TokenSet, OpenApiError> =>
    Effect.gen(function* () {
      const extending = yield* lease(grant).pipe(
        Effect.delay(leaseTime / 3),
        // A missed extension is no harm: the next one follows, and the version fences.
        Effect.catchAll((error) => Effect.logDebug("A refresh lease was not extended", error.message)),
        Effect.forever,
        Effect.interruptible,
        Effect.forkDaemon
      )
      let lost = grant.refresh !== "none"
      return yield* ask(grant, () => (lost = true)).pipe(
        Effect.matchEffect({
          onSuccess: (next) => Effect.zipRight(Metrics.refreshed("renewed"), save(grant, next)),
          onFailure: (error): Effect.Effect<TokenSet, OpenApiError> => {
            if (error._tag !== "InvalidGrant") return Effect.zipRight(release(grant, !lost), Effect.fail(error))
            return lost
              ? Effect.zipRight(Metrics.refreshed("rotation_response_lost"), end(grant, lostReason, error))
              : end(grant, "the service no longer accepts its refresh token", error)
          }
        }),
        Effect.ensuring(Fiber.interrupt(extending))
      )
    }).pipe(Effect.uninterruptible)

  /**
   * The grant, once whoever had the lease before has had the time to write what it may have got: it lost the lease, not
   * its tokens, when the store was away for longer than that lives.
   */
  const settled = (grant: Live): Effect.Effect<Live, Reauthorize | Unreachable> =>
    grant.refresh === "leased" ? Effect.flatMap(Effect.sleep(grace), () => alive(grant.id)) : Effect.succeed(grant)

  const refreshUnlessRenewed =
    (asked: Live) =>
    (grant: Live): Effect.Effect<TokenSet, OpenApiError> =>
      grant.version === asked.version ? refreshAsOwner(asked) : Effect.succeed(grant.tokens)

  const refresh = (asked: Live): Effect.Effect<TokenSet, OpenApiError> =>
    Effect.gen(function* () {
      let grant = asked
      let watched = { leasedUntil: grant.leasedUntil, since: yield* MonotonicClock.now }
      for (let wait = 40; ; wait = Math.min(wait * 1.5, 500)) {
        const now = yield* MonotonicClock.now
        if (grant.leasedUntil !== watched.leasedUntil) watched = { leasedUntil: grant.leasedUntil, since: now }
        const abandoned = now - watched.since >= leaseTime ? watched.leasedUntil : undefined
        const owned = yield* Effect.uninterruptible(
          Effect.flatMap(reliably(lease(grant, abandoned)), (leased) =>
            leased ? Effect.asSome(Effect.flatMap(settled(grant), refreshUnlessRenewed(grant))) : Effect.succeedNone
          )
        )
        if (Option.isSome(owned)) return owned.value
        // While the store was away its owner could not extend the lease either.
        const answered = yield* MonotonicClock.now
        if (answered - now > 1000) watched = { ...watched, since: answered }
        yield* Effect.sleep(wait * (0.75 + Math.random() / 2))
        grant = yield* alive(grant.id)
        if (grant.version !== asked.version) return grant.tokens
      }
    })

  return { adopt, alive, end, forget, refresh }
}

const saidBy = ({ description, requestId, status }: InvalidGrant) => ({
  status,
  description,
  ...(requestId === undefined ? {} : { requestId })
})

const lostReason = "the service renewed it, but the answer was lost on the way (rotation_response_lost)"

/** A short outage of the store is waited out. */
const reliably = <A>(use: Effect.Effect<A, TokenStoreUnavailable>): Effect.Effect<A, Unreachable> =>
  use.pipe(Effect.retry(RetrySchedules.storeRead), Effect.mapError(unreachable))

const unreachable = ({ reason }: TokenStoreUnavailable) => new Unreachable({ operation: "the token store", reason })

/** A lost answer; a failure of the service itself is not one (decision 18). */
const isLost = (error: OpenApiError): error is OutcomeUnknown => error._tag === "OutcomeUnknown" && error.status !== 500

/** For how long a lost answer is asked for again, in milliseconds. */
const longestAsking = 20_000

/** Many times as long as the pause between two tries to write. */
const grace = Duration.seconds(4)

/**
 * A crashed owner holds others up for no longer than this; a living one extends its lease. Clocks may differ: a lease
 * has ended when nobody has extended it for so long by the clock of whoever wants it, or when it ended long ago.
 */
const leaseTime = 10_000
const skew = 60_000

/** How long a store that was waited for in vain counts as down, in milliseconds. */
const downTime = 10_000

/** How many grants are remembered for while the store is down. */
const mostSeen = 10_000
