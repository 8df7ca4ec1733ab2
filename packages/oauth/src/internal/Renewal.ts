import {
  type InvalidGrant,
  type OpenApiError,
  type OutcomeUnknown,
  Reauthorize,
  type Unreachable
} from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Metrics from "../Metrics.ts"
import type { TokenSet } from "../TokenSet.ts"
import type { TokenStore } from "../TokenStore.ts"
import type { ActiveGrant } from "./ActiveGrant.ts"
import { type GrantReader, waitForStore } from "./GrantReader.ts"
import type { GrantWriter } from "./GrantWriter.ts"
import * as LeaseWatch from "./LeaseWatch.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetrySchedules from "./RetrySchedules.ts"

/** What renewals of one process work with. */
export interface Options {
  readonly store: Context.Tag.Service<TokenStore>
  readonly read: GrantReader
  readonly writer: GrantWriter
  /** Sends one refresh to the service. */
  readonly send: (tokens: TokenSet) => Effect.Effect<TokenSet, OpenApiError>
  /** Whether this process is about to end: refreshes that were sent complete, and no more are sent. */
  readonly closing: () => boolean
}

/** Renews grants, one refresh of a grant at a time among all processes. */
export interface Renewal {
  /** Refreshes as the owner of the lease, or waits for the tokens of the process that owns it. */
  readonly refresh: (grant: ActiveGrant) => Effect.Effect<TokenSet, OpenApiError>
  /**
   * Ends a grant for good, unless another process has renewed it meanwhile: then its tokens are used.
   * `refusal` is the answer of the service that ended it, if there was one.
   */
  readonly end: (
    grant: ActiveGrant,
    reason: string,
    refusal?: InvalidGrant
  ) => Effect.Effect<TokenSet, Reauthorize | Unreachable>
}

/** Renewals under a lease that its owner keeps extending, with a version that fences late writes. */
export const make = (options: Options): Renewal => {
  const { read, store } = options
  const owner = crypto.randomUUID()
  const end = endGrant(options)
  const refreshAsOwner = makeOwnerRefresh(options, owner, end)

  /** The grant after the previous owner of the lease had time to write what it may have received. */
  const settled = (grant: ActiveGrant): Effect.Effect<ActiveGrant, Reauthorize | Unreachable> =>
    grant.refresh === "leased" ? Effect.flatMap(Effect.sleep(writeGrace), () => read(grant.id)) : Effect.succeed(grant)

  /** Refreshes the grant as it was read before its lease was taken: `refresh` says what became of an earlier owner. */
  const refreshUnlessRenewed = (grant: ActiveGrant) =>
    Effect.flatMap(settled(grant), (current): Effect.Effect<TokenSet, OpenApiError> =>
      current.version === grant.version ? refreshAsOwner(grant) : Effect.succeed(current.tokens)
    )

  /** The refresh as owner, once this process has the lease. */
  const asOwner = (grant: ActiveGrant, abandoned: number | undefined) =>
    Effect.uninterruptible(
      Effect.flatMap(waitForStore(lease(store, owner, grant, abandoned)), (leased) =>
        leased ? Effect.asSome(refreshUnlessRenewed(grant)) : Effect.succeedNone
      )
    )

  const refresh = Effect.fnUntraced(function* (requested: ActiveGrant): Effect.fn.Return<TokenSet, OpenApiError> {
    let grant = requested
    let watch = LeaseWatch.begin(grant.leaseNumber, yield* MonotonicClock.now)
    while (grant.version === requested.version) {
      const askedAt = yield* MonotonicClock.now
      watch = LeaseWatch.step(watch, { _tag: "Read", leaseNumber: grant.leaseNumber, now: askedAt })
      const renewed = yield* asOwner(grant, LeaseWatch.abandoned(watch, askedAt))
      if (Option.isSome(renewed)) return renewed.value
      watch = LeaseWatch.step(watch, { _tag: "Refused", askedAt, now: yield* MonotonicClock.now })
      yield* Effect.sleep(watch.wait * (0.75 + Math.random() / 2))
      grant = yield* read(grant.id)
    }
    return grant.tokens
  })

  return { end, refresh }
}

const endGrant = ({ read, store }: Options): Renewal["end"] =>
  Effect.fnUntraced(function* (grant, reason, refusal) {
    if (yield* waitForStore(store.kill(grant.id, grant.version, reason))) {
      yield* Effect.logWarning("A grant has ended; its user has to connect again").pipe(
        Effect.annotateLogs({ grant: grant.id, reason })
      )
      return yield* new Reauthorize({ reason, ...(refusal === undefined ? {} : detailsOf(refusal)) })
    }
    return (yield* read(grant.id)).tokens
  })

const makeOwnerRefresh = (options: Options, owner: string, end: Renewal["end"]) => {
  const { read, store, writer } = options

  /** A lease that cannot be released ends by itself, and the caller's error matters more. */
  const release = (grant: ActiveGrant, settled: boolean): Effect.Effect<void> =>
    Effect.catchAll(store.release(grant.id, owner, settled), (error) =>
      Effect.logDebug("A refresh lease was not released", error.message)
    )

  const keepLease = (grant: ActiveGrant): Effect.Effect<never> =>
    lease(store, owner, grant).pipe(
      Effect.delay(LeaseWatch.leaseTime / 3),
      // A missed extension does no harm: the next one follows, and the version fences.
      Effect.catchAll((error) => Effect.logDebug("A refresh lease was not extended", error.message)),
      Effect.forever
    )

  /** Stores the tokens before any caller gets them. */
  const save = (grant: ActiveGrant, tokens: TokenSet) =>
    Effect.flatMap(writer.replace(grant, tokens), (stored) =>
      stored ? Effect.succeed(tokens) : Effect.map(read(grant.id), (current) => current.tokens)
    )

  const failed = (grant: ActiveGrant, error: OpenApiError, lost: boolean): Effect.Effect<TokenSet, OpenApiError> => {
    if (error._tag !== "InvalidGrant") return Effect.zipRight(release(grant, !lost), Effect.fail(error))
    return lost
      ? Effect.zipRight(Metrics.refreshed("rotation_response_lost"), end(grant, lostReason, error))
      : end(grant, "the service no longer accepts its refresh token", error)
  }

  return (grant: ActiveGrant): Effect.Effect<TokenSet, OpenApiError> =>
    Effect.gen(function* () {
      const extending = yield* Effect.forkDaemon(Effect.interruptible(keepLease(grant)))
      let lost = grant.refresh !== "none"
      return yield* sendRefresh(options, grant.tokens, () => (lost = true)).pipe(
        Effect.matchEffect({
          onSuccess: (tokens) => Effect.zipRight(Metrics.refreshed("renewed"), save(grant, tokens)),
          onFailure: (error) => failed(grant, error, lost)
        }),
        Effect.ensuring(Fiber.interrupt(extending))
      )
    }).pipe(Effect.uninterruptible)
}

/**
 * The refresh on its own fiber, which no departing caller cancels. A lost answer is requested again at once, because
 * the old refresh token is the only one. A service that rotates repeats its answer within its grace period.
 */
const sendRefresh = (
  { closing, send }: Options,
  tokens: TokenSet,
  onLost: () => void
): Effect.Effect<TokenSet, OpenApiError> =>
  Effect.flatMap(MonotonicClock.now, (began) =>
    send(tokens).pipe(
      Effect.tapError((error) => Metrics.refreshed(error._tag)),
      Effect.tapErrorTag("OutcomeUnknown", () => Effect.sync(onLost)),
      RetryPolicy.retryIf(
        isLost,
        Schedule.checkEffect(RetrySchedules.lostRefresh, () =>
          Effect.map(MonotonicClock.now, (now) => now - began < maxRepetitionMs && !closing())
        )
      )
    )
  ).pipe(Effect.interruptible, Effect.forkDaemon, Effect.flatMap(Fiber.join))

const lease = (store: Options["store"], owner: string, grant: ActiveGrant, abandoned?: number) =>
  Effect.suspend(() => store.lease(grant.id, grant.version, { owner, abandoned }))

const detailsOf = ({ description, requestId, status }: InvalidGrant) => ({
  status,
  description,
  ...(requestId === undefined ? {} : { requestId })
})

/** A lost answer; a failure of the service itself is not one (contract decision 18). */
const isLost = (error: OpenApiError): error is OutcomeUnknown => error._tag === "OutcomeUnknown" && error.status !== 500

const lostReason = "the service renewed it, but the answer was lost on the way (rotation_response_lost)"

/** How long a lost answer is requested again, in milliseconds. */
const maxRepetitionMs = 20_000

/** Many times as long as the pause between two tries to write. */
const writeGrace = Duration.seconds(4)
