import { randomUUID } from "node:crypto"
import { Grants } from "@heddle/oauth/Grants"
import type { TokenSet } from "@heddle/oauth/TokenSet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Ended } from "../access/AccountBoundWork.ts"
import { Accounts } from "../access/Accounts.ts"
import { AccountOffers, type OfferOutcome } from "../store/account/AccountOffers.ts"
import { type Store, transaction } from "../store/database/Transaction.ts"
import { GrantsToEnd } from "../store/account/GrantsToEnd.ts"
import { EndingGrants, offeredTo, type Revocation } from "./EndingGrants.ts"

/** What disconnecting an account came to: what ran on it, and what the service knows; `none` without an account. */
export interface Disconnected extends Ended {
  readonly service: Revocation | "none"
}

/**
 * Puts one account in place of another. The grant of the new account is kept aside until its person confirms the
 * replacement. A grant that is given up is out of use at once, and so is what runs on it.
 */
export class Replacements extends Context.Tag("@heddle/bot/Replacements")<
  Replacements,
  {
    /** Keeps a grant of another account aside for a quarter of an hour; returns its offer's id. Earlier offers are over. */
    readonly offer: (userId: string, tokens: TokenSet) => Effect.Effect<string>
    /** Puts the offered account in place of the connected one, unless the offer has ended; tells what ran on the other. */
    readonly accept: (userId: string, offerId: string) => Effect.Effect<Ended & { readonly state: OfferOutcome }>
    /** Ends the grant of the offered account, unless the offer has ended; the connected account stays. */
    readonly refuse: (userId: string, offerId: string) => Effect.Effect<OfferOutcome>
    /** Ends all offers to a person. */
    readonly withdraw: (userId: string) => Effect.Effect<void>
    /** Ends the connected account, what runs on it, and all offers. Waits five seconds for the service to confirm. */
    readonly disconnect: (userId: string) => Effect.Effect<Disconnected>
  }
>() {}

type Needs = Accounts | AccountOffers | EndingGrants | Grants | GrantsToEnd | Store

export const layer: Layer.Layer<Replacements, never, Needs> = Layer.effect(
  Replacements,
  Effect.map(Effect.context<Needs>(), (context) => {
    const provided = <A, E>(effect: Effect.Effect<A, E, Needs>) =>
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

/** Ends all open offers to a person; part of a transaction. */
const settleAll = Effect.fnUntraced(function* (userId: string) {
  const offers = yield* AccountOffers
  const ending = yield* EndingGrants
  const open = yield* offers.open(userId)
  const asides = yield* Effect.forEach(open, (offerId) => ending.settleOffer(userId, offerId, "over"))
  yield* offers.settleAll(userId)
  return asides.flat()
})

const offer = Effect.fn("Replacements.offer")(function* (userId: string, tokens: TokenSet) {
  const offerId = randomUUID()
  const offered = offeredTo(userId, offerId)
  const now = yield* Clock.currentTimeMillis
  const asides = yield* transaction(
    Effect.gen(function* () {
      const before = yield* settleAll(userId)
      yield* (yield* AccountOffers).add(userId, offerId)
      yield* (yield* GrantsToEnd).note(offered, now + answerTime)
      return before
    })
  )
  yield* (yield* Grants).save(offered, tokens)
  yield* (yield* EndingGrants).wake
  yield* end(asides)
  return offerId
})

const accept = Effect.fn("Replacements.accept")(function* (userId: string, offerId: string) {
  const { asides, replaced, state } = yield* transaction(replace(userId, offerId))
  // Agents are stopped while the service still lets the bot talk to them.
  const ran = replaced ? yield* (yield* Accounts).ended(userId) : { stopped: 0, left: 0 }
  yield* end(asides)
  return { ...ran, state }
})

/** Moves the offered grant into the place of the connected one; part of a transaction. */
const replace = Effect.fnUntraced(function* (userId: string, offerId: string) {
  const offers = yield* AccountOffers
  const ending = yield* EndingGrants
  const grants = yield* Grants
  const state = yield* offers.state(userId, offerId)
  if (state !== "open") return { asides: [], state, replaced: false }
  const offered = offeredTo(userId, offerId)
  if (!Option.exists(yield* grants.describe(offered), ({ dead }) => Option.isNone(dead))) {
    const asides = yield* ending.settleOffer(userId, offerId, "over")
    return { asides, state: "over" as const, replaced: false }
  }
  const asides = yield* ending.setAside(userId, userId)
  if (!(yield* grants.move(offered, userId))) return yield* Effect.dieMessage("an offered grant has no tokens")
  yield* (yield* GrantsToEnd).remove(offered)
  yield* offers.settle(offerId, "replaced")
  return { asides, state: "replaced" as const, replaced: true }
})

const refuse = Effect.fn("Replacements.refuse")(function* (userId: string, offerId: string) {
  const { asides, state } = yield* transaction(
    Effect.gen(function* () {
      const state = yield* (yield* AccountOffers).state(userId, offerId)
      if (state !== "open") return { asides: [], state }
      return { asides: yield* (yield* EndingGrants).settleOffer(userId, offerId, "kept"), state: "kept" as const }
    })
  )
  yield* end(asides)
  return state
})

const disconnect = Effect.fn("Replacements.disconnect")(function* (userId: string) {
  const { asides, before, there } = yield* transaction(
    Effect.gen(function* () {
      const there = Option.isSome(yield* (yield* Grants).describe(userId))
      return { there, asides: yield* settleAll(userId), before: yield* (yield* EndingGrants).setAside(userId, userId) }
    })
  )
  yield* end(asides)
  // Agents are stopped while the service still lets the bot talk to them.
  const ran = yield* (yield* Accounts).ended(userId)
  const [ended] = yield* end(before)
  if (ended === undefined) return { ...ran, service: there ? "unconfirmed" : "none" } as const
  const told = yield* Effect.interruptible(Effect.timeoutOption(Fiber.join(ended), "5 seconds"))
  return { ...ran, service: Option.getOrUndefined(told) ?? ("pending" as const) }
})

/** How long the private question about an offer can be answered, in milliseconds. */
const answerTime = 15 * 60_000
