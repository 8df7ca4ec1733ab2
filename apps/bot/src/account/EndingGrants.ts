import { randomUUID } from "node:crypto"
import { Grants } from "@heddle/oauth/Grants"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { AccountOffers, type OfferOutcome } from "../store/account/AccountOffers.ts"
import { type Store, transaction } from "../store/database/Transaction.ts"
import { GrantsToEnd } from "../store/account/GrantsToEnd.ts"

/** Whether the service confirmed the end of a grant, cannot confirm it, or has not confirmed it yet. */
export type Revocation = "confirmed" | "unconfirmed" | "pending"

/**
 * Revokes grants at the service. The bot stops using a grant at once. The revocation runs in the background with
 * growing waits and survives a restart.
 */
export class EndingGrants extends Context.Tag("@heddle/bot/EndingGrants")<
  EndingGrants,
  {
    /** Takes a grant out of use, in the open transaction. Returns the id that {@link end} takes, or none. */
    readonly moveToRevocation: (userId: string, grantId: string) => Effect.Effect<ReadonlyArray<string>>
    /** Revokes these grants now; each fiber ends with the service's answer. */
    readonly end: (
      grantIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Fiber.RuntimeFiber<Revocation | undefined>>>
    /** Ends an offer and its grant, in the open transaction. Returns the id that {@link end} takes, or none. */
    readonly settleOffer: (
      userId: string,
      offerId: string,
      outcome: OfferOutcome
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Checks the due grants now, after a transaction that added one. */
    readonly wake: Effect.Effect<void>
  }
>() {}

/** The id of the grant of an offered account. */
export const offeredTo = (userId: string, offerId: string): string => `offered ${userId} ${offerId}`

export const layer: Layer.Layer<EndingGrants, never, AccountOffers | Grants | GrantsToEnd | Store> = Layer.scoped(
  EndingGrants,
  Effect.gen(function* () {
    const grants = yield* Grants
    const toEnd = yield* GrantsToEnd
    const offers = yield* AccountOffers
    const context = yield* Effect.context<AccountOffers | Grants | GrantsToEnd | Store>()
    const ending = yield* FiberMap.make<string, Revocation | undefined>()
    const wakeLatch = yield* Effect.makeLatch(true)

    const moveToRevocation = Effect.fnUntraced(function* (userId: string, grantId: string) {
      const endingId = `ending ${userId} ${randomUUID()}`
      const wasMoved = yield* grants.move(grantId, endingId)
      // Normally the caller ends it first; this covers a caller that was interrupted.
      if (wasMoved) yield* toEnd.schedule(endingId, (yield* Clock.currentTimeMillis) + revocationTimeoutMs)
      else yield* grants.forget(grantId)
      yield* toEnd.remove(grantId)
      return wasMoved ? [endingId] : []
    })

    const settleOffer = (userId: string, offerId: string, outcome: OfferOutcome) =>
      Effect.zipRight(offers.settle(offerId, outcome), moveToRevocation(userId, offeredTo(userId, offerId)))

    const start = (grantId: string, work: Effect.Effect<Revocation | undefined>) =>
      FiberMap.run(ending, grantId, Effect.interruptible(work), { onlyIfMissing: true })
    const revokeOne = (grantId: string) =>
      start(
        grantId,
        revoke(grantId).pipe(
          Effect.tap((revocation) => (revocation === "pending" ? wakeLatch.open : Effect.void)),
          // Its row is due again later.
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logWarning("A grant could not be ended", cause), "pending" as const)
          ),
          Effect.provide(context)
        )
      )
    const end = (grantIds: ReadonlyArray<string>) => Effect.forEach(grantIds, revokeOne)
    const expireOffer = (grantId: string) => {
      const [, userId = "", offerId = ""] = grantId.split(" ")
      return start(
        grantId,
        Effect.flatMap(transaction(settleOffer(userId, offerId, "over")), end).pipe(
          // Its row is due again later.
          Effect.catchAllCause((cause) => Effect.logWarning("An offer could not be ended", cause)),
          Effect.as(undefined),
          Effect.provide(context)
        )
      )
    }

    // One fiber per grant, so that a slow answer delays no other.
    const revokeDue = Effect.gen(function* () {
      yield* wakeLatch.close
      const now = yield* Clock.currentTimeMillis
      for (const { grantId } of yield* toEnd.due(now))
        yield* isOffered(grantId) ? expireOffer(grantId) : revokeOne(grantId)
      const next = yield* toEnd.nextDueAfter(now)
      return Math.min(Option.getOrElse(next, () => Infinity) - now, revocationTimeoutMs)
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logWarning("Grants could not be ended", cause), revocationTimeoutMs)
      )
    )
    // The process that was to revoke these has ended.
    yield* toEnd.makeDue("ending ")
    yield* revokeDue.pipe(
      Effect.flatMap((wait) => Effect.raceFirst(wakeLatch.await, Effect.sleep(wait))),
      Effect.forever,
      Effect.forkScoped
    )
    return EndingGrants.of({ moveToRevocation, settleOffer, end, wake: wakeLatch.open })
  })
)

/** Revokes a grant at the service, or schedules the next try. */
const revoke = Effect.fnUntraced(function* (grantId: string) {
  const grants = yield* Grants
  const toEnd = yield* GrantsToEnd
  // A revocation could end the account in use. Without its tokens, `revoke` sends nothing to the service.
  if (yield* isInUse(grantId)) yield* grants.forget(grantId)
  const revoked = yield* grants
    .revoke(grantId)
    .pipe(
      Effect.timeoutFail({ duration: revocationTimeoutMs, onTimeout: () => ({ message: "it does not answer" }) }),
      Effect.either
    )
  if (revoked._tag === "Left") {
    // A token that the service does not know cannot be used either.
    const isUnknownToService = "_tag" in revoked.left && ["InvalidGrant", "InvalidToken"].includes(revoked.left._tag)
    const dueAt = isUnknownToService ? undefined : yield* nextAttempt(grantId)
    if (dueAt !== undefined) {
      yield* Effect.logWarning("A grant could not be revoked at the service yet", revoked.left.message)
      yield* toEnd.postpone(grantId, dueAt)
      return "pending"
    }
    yield* grants.forget(grantId)
  }
  yield* toEnd.remove(grantId)
  return revoked._tag === "Right" && revoked.right ? "confirmed" : "unconfirmed"
})

/** Whether revoking this grant could end an account in use: a service may treat all grants of an account as one. */
const isInUse = Effect.fnUntraced(function* (grantId: string) {
  const grants = yield* Grants
  const [, ownerId = ""] = grantId.split(" ")
  const openId = Option.getOrUndefined(yield* grants.describe(grantId))?.openId
  const offers = yield* (yield* AccountOffers).open(ownerId)
  return yield* Effect.exists([ownerId, ...offers.map((offerId) => offeredTo(ownerId, offerId))], (otherId) =>
    Effect.zipWith(
      grants.isSame(grantId, otherId),
      grants.describe(otherId),
      (isSameGrant, found) =>
        grantId !== otherId &&
        (isSameGrant || Option.exists(found, (otherGrant) => openId !== undefined && otherGrant.openId === openId))
    )
  )
})

/** When to try the revocation again; undefined when the grant has expired by then. */
const nextAttempt = Effect.fnUntraced(function* (grantId: string) {
  const now = yield* Clock.currentTimeMillis
  const row = Option.getOrUndefined(yield* (yield* GrantsToEnd).find(grantId))
  const since = row?.since ?? now
  const described = yield* (yield* Grants).describe(grantId)
  const endsAt = Option.getOrUndefined(described)?.endsAt ?? since + maxGrantLifeMs
  return endsAt <= now ? undefined : now + Math.max(minRetryMs, Math.min(now - since, maxRetryMs))
})

const isOffered = (grantId: string): boolean => grantId.startsWith("offered ") && grantId.split(" ").length === 3

/** The time that the service has to confirm a revocation, in milliseconds. */
const revocationTimeoutMs = 30_000

/**
 * The bounds of the wait before the next try, in milliseconds. Within them the wait equals the time since the first
 * try.
 */
const minRetryMs = 2000
const maxRetryMs = 6 * 3_600_000

/** The assumed lifetime of a grant without a known expiry, in milliseconds; no known service keeps one longer. */
const maxGrantLifeMs = 366 * 86_400_000
