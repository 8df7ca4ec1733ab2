import { randomUUID } from "node:crypto"
import { Grants } from "@heddle/oauth/Grants"
import type { TokenSet } from "@heddle/oauth/TokenSet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type EndedWork } from "../access/AccountBoundWork.ts"
import { Accounts } from "../access/Accounts.ts"
import { AccountOffers, type OfferOutcome } from "../store/account/AccountOffers.ts"
import { type Store, transaction } from "../store/database/Transaction.ts"
import { GrantsToEnd } from "../store/account/GrantsToEnd.ts"
import { EndingGrants, offeredTo, type Revocation } from "./EndingGrants.ts"

/**
 * The result of disconnecting: the work that ran on the account, and the revocation's state; `none` without an account.
 */
export interface Disconnected extends EndedWork {
  readonly revocation: Revocation | "none"
}

/**
 * Replaces one account by another. The new grant is kept aside until the person confirms. A replaced grant and the work
 * on it end at once.
 */
export class Replacements extends Context.Tag("@heddle/bot/Replacements")<
  Replacements,
  {
    /** Keeps the grant of another account for 15 minutes and returns its offer's id. Ends earlier offers. */
    readonly offer: (userId: string, tokens: TokenSet) => Effect.Effect<string>
    /**
     * Replaces the connected account by the offered one, unless the offer has ended. Returns the work that ran on the
     * old one.
     */
    readonly accept: (userId: string, offerId: string) => Effect.Effect<EndedWork & { readonly state: OfferOutcome }>
    /** Ends the offer and its grant, unless it has ended already; the connected account stays. */
    readonly refuse: (userId: string, offerId: string) => Effect.Effect<OfferOutcome>
    /** Ends all offers to a person. */
    readonly withdraw: (userId: string) => Effect.Effect<void>
    /** Disconnects the account and ends its work and all offers. Waits five seconds for the service to confirm. */
    readonly disconnect: (userId: string) => Effect.Effect<Disconnected>
  }
>() {}

type Requirements = Accounts | AccountOffers | EndingGrants | Grants | GrantsToEnd | Store

export const layer: Layer.Layer<Replacements, never, Requirements> = Layer.effect(
  Replacements,
  Effect.map(Effect.context<Requirements>(), (context) => {
    const provided = <A, E>(effect: Effect.Effect<A, E, Requirements>) =>
      Effect.uninterruptible(Effect.provide(effect, context))
    return Replacements.of({
      offer: (userId, tokens) => provided(offer(userId, tokens)),
      accept: (userId, offerId) => provided(accept(userId, offerId)),
      refuse: (userId, offerId) => provided(refuse(userId, offerId)),
      withdraw: (userId) => provided(Effect.flatMap(transaction(settleAll(userId)), end)).pipe(Effect.asVoid),
      disconnect: (userId) => provided(disconnect(userId))
    })
  })
)

const end = (grantIds: ReadonlyArray<string>) => Effect.flatMap(EndingGrants, (ending) => ending.end(grantIds))

/** Ends all open offers to a person, in the open transaction. */
const settleAll = Effect.fnUntraced(function* (userId: string) {
  const offers = yield* AccountOffers
  const ending = yield* EndingGrants
  const open = yield* offers.open(userId)
  const grantIds = yield* Effect.forEach(open, (offerId) => ending.settleOffer(userId, offerId, "over"))
  yield* offers.settleAll(userId)
  return grantIds.flat()
})

const offer = Effect.fn("Replacements.offer")(function* (userId: string, tokens: TokenSet) {
  const offerId = randomUUID()
  const offered = offeredTo(userId, offerId)
  const now = yield* Clock.currentTimeMillis
  const grantIds = yield* transaction(
    Effect.gen(function* () {
      const before = yield* settleAll(userId)
      yield* (yield* AccountOffers).add(userId, offerId)
      yield* (yield* GrantsToEnd).schedule(offered, now + offerLifetimeMs)
      return before
    })
  )
  yield* (yield* Grants).save(offered, tokens)
  yield* (yield* EndingGrants).wake
  yield* end(grantIds)
  return offerId
})

const accept = Effect.fn("Replacements.accept")(function* (userId: string, offerId: string) {
  const { grantIds, replaced, state } = yield* transaction(replace(userId, offerId))
  // Stop the agents while the service still accepts the grant.
  const endedWork = replaced ? yield* (yield* Accounts).endWork(userId) : { stopped: 0, continuing: 0 }
  yield* end(grantIds)
  return { ...endedWork, state }
})

/** Moves the offered grant to the place of the connected one, in the open transaction. */
const replace = Effect.fnUntraced(function* (userId: string, offerId: string) {
  const offers = yield* AccountOffers
  const ending = yield* EndingGrants
  const grants = yield* Grants
  const state = yield* offers.state(userId, offerId)
  if (state !== "open") return { grantIds: [], state, replaced: false }
  const offered = offeredTo(userId, offerId)
  if (!Option.exists(yield* grants.describe(offered), ({ dead }) => Option.isNone(dead))) {
    const grantIds = yield* ending.settleOffer(userId, offerId, "over")
    return { grantIds, state: "over" as const, replaced: false }
  }
  const grantIds = yield* ending.moveToRevocation(userId, userId)
  if (!(yield* grants.move(offered, userId))) return yield* Effect.dieMessage("an offered grant has no tokens")
  yield* (yield* GrantsToEnd).remove(offered)
  yield* offers.settle(offerId, "replaced")
  return { grantIds, state: "replaced" as const, replaced: true }
})

const refuse = Effect.fn("Replacements.refuse")(function* (userId: string, offerId: string) {
  const { grantIds, state } = yield* transaction(
    Effect.gen(function* () {
      const state = yield* (yield* AccountOffers).state(userId, offerId)
      if (state !== "open") return { grantIds: [], state }
      return { grantIds: yield* (yield* EndingGrants).settleOffer(userId, offerId, "kept"), state: "kept" as const }
    })
  )
  yield* end(grantIds)
  return state
})

const disconnect = Effect.fn("Replacements.disconnect")(function* (userId: string) {
  const { grantIds, previousIds, wasConnected } = yield* transaction(
    Effect.gen(function* () {
      const wasConnected = Option.isSome(yield* (yield* Grants).describe(userId))
      return {
        wasConnected,
        grantIds: yield* settleAll(userId),
        previousIds: yield* (yield* EndingGrants).moveToRevocation(userId, userId)
      }
    })
  )
  yield* end(grantIds)
  // Stop the agents while the service still accepts the grant.
  const endedWork = yield* (yield* Accounts).endWork(userId)
  const [ended] = yield* end(previousIds)
  if (ended === undefined) return { ...endedWork, revocation: wasConnected ? "unconfirmed" : "none" } as const
  const confirmation = yield* Effect.interruptible(Effect.timeoutOption(Fiber.join(ended), "5 seconds"))
  return { ...endedWork, revocation: Option.getOrUndefined(confirmation) ?? ("pending" as const) }
})

/** How long the offer stays open, in milliseconds. */
const offerLifetimeMs = 15 * 60_000
