import { randomUUID } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import { Grants } from "@heddle/oauth/Grants"
import type { TokenSet } from "@heddle/oauth/TokenSet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Accounts, type Ended } from "../access/Accounts.ts"

/** What became of an offer: the account was replaced, it was kept, or the offer is over for another reason. */
export type Answered = "replaced" | "kept" | "over"

/** Whether the service knows that a grant is not used any more: it was told, cannot be told, or has not confirmed it yet. */
export type Told = "told" | "untold" | "asked"

/** What disconnecting an account came to: whether there was one and what the service knows, and what ran on it. */
export interface Disconnected extends Ended {
  readonly service: Told | "none"
}

/**
 * One account in place of another: what the new one granted is kept aside until its person has said that it replaces
 * the one that they have. Whatever is not wanted any more is out of use at once, and so is what runs on it; then it is
 * revoked, where the service offers that, and forgotten. A service that does not confirm that is told again with growing
 * waits, also after a restart; nobody waits for it.
 */
export class Replacements extends Context.Tag("@heddle/bot/Replacements")<
  Replacements,
  {
    /** Keeps a grant of another account aside for a quarter of an hour; returns its offer's id. Offers before it are over. */
    readonly offer: (userId: string, tokens: TokenSet) => Effect.Effect<string>
    /**
     * Puts the account of this offer in place of the connected one, unless the offer has ended before; says what became of
     * that which ran on the other one.
     */
    readonly accept: (userId: string, offerId: string) => Effect.Effect<Ended & { readonly state: Answered }>
    /** Ends the grant of this offer's account, unless the offer has ended before; the connected one stays. */
    readonly refuse: (userId: string, offerId: string) => Effect.Effect<Answered>
    /** Ends all offers to a person, who has settled it in another way. */
    readonly withdraw: (userId: string) => Effect.Effect<void>
    /** Ends the connected account, what runs on it, and the offers to its person. The service is given a moment to answer. */
    readonly disconnect: (userId: string) => Effect.Effect<Disconnected>
  }
>() {}

/** The name of the grant of the account that is offered to a person. */
export const offeredTo = (userId: string, offerId: string): string => `offered ${userId} ${offerId}`

export const layer: Layer.Layer<Replacements, never, Accounts | Grants | SqlClient.SqlClient> = Layer.scoped(
  Replacements,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const grants = yield* Grants
    const sql = yield* SqlClient.SqlClient
    const ending = yield* FiberMap.make<string, Told | undefined>()
    /** Opened when a row may be due sooner than was known. */
    const noted = yield* Effect.makeLatch(true)
    const atOnce = <A, E>(steps: Effect.Effect<A, E>) => Effect.orDie(sql.withTransaction(steps))

    const note = (grantId: string, dueAt: number) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (since) => sql`INSERT INTO grants_to_end ${sql.insert({ grant_id: grantId, due_at: dueAt, since })}
          ON CONFLICT (grant_id) DO UPDATE SET due_at = excluded.due_at, since = excluded.since`
      )
    const drop = (grantId: string) => sql`DELETE FROM grants_to_end WHERE grant_id = ${grantId}`

    /** Takes a grant out of use; part of a transaction. Returns the name under which it is to end, if it has tokens. */
    const setAside = Effect.fnUntraced(function* (userId: string, grantId: string) {
      const aside = `ending ${userId} ${randomUUID()}`
      const moved = yield* grants.move(grantId, aside)
      // Whoever noted it ends it first.
      if (moved) yield* note(aside, (yield* Clock.currentTimeMillis) + longestAnswer)
      else yield* grants.forget(grantId)
      yield* drop(grantId)
      return moved ? [aside] : []
    })

    /** Ends an offer with this outcome; part of a transaction. */
    const settle = Effect.fnUntraced(function* (userId: string, offerId: string, outcome: Answered) {
      yield* sql`UPDATE account_offers SET state = ${outcome} WHERE offer_id = ${offerId} AND state = 'open'`
      return yield* setAside(userId, offeredTo(userId, offerId))
    })

    const openOffers = (userId: string) =>
      sql<{ readonly offer_id: string }>`SELECT offer_id FROM account_offers
        WHERE user_id = ${userId} AND state = 'open'`

    /** Ends all open offers to a person, and what was said of those before; part of a transaction. */
    const overAll = Effect.fnUntraced(function* (userId: string) {
      const asides = yield* Effect.forEach(yield* openOffers(userId), ({ offer_id }) =>
        settle(userId, offer_id, "over")
      )
      yield* sql`UPDATE account_offers SET state = 'over' WHERE user_id = ${userId}`
      return asides.flat()
    })

    /** Whether an account that its person uses, or is offered, could end with this grant: a service may count all of one account as one. */
    const isInUse = Effect.fnUntraced(function* (grantId: string) {
      const [, ownerId = ""] = grantId.split(" ")
      const openId = Option.getOrUndefined(yield* grants.describe(grantId))?.openId
      const offers = yield* Effect.orDie(openOffers(ownerId))
      return yield* Effect.exists([ownerId, ...offers.map(({ offer_id }) => offeredTo(ownerId, offer_id))], (other) =>
        Effect.zipWith(
          grants.isSame(grantId, other),
          grants.describe(other),
          (same, found) =>
            grantId !== other &&
            (same || Option.exists(found, (living) => openId !== undefined && living.openId === openId))
        )
      )
    })
    /** When the service is told again about a grant; undefined when that grant has ended by itself. */
    const nextAt = Effect.fnUntraced(function* (grantId: string) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* Effect.orDie(sql<Row>`SELECT * FROM grants_to_end WHERE grant_id = ${grantId}`)
      const since = Number(row?.since ?? now)
      const endsAt = Option.getOrUndefined(yield* grants.describe(grantId))?.endsAt ?? since + longestLife
      return endsAt <= now ? undefined : now + Math.max(shortestWait, Math.min(now - since, longestWait))
    })

    const end = Effect.fnUntraced(function* (grantId: string): Effect.fn.Return<Told> {
      if (yield* isInUse(grantId)) yield* grants.forget(grantId)
      const revoked = yield* grants
        .revoke(grantId)
        .pipe(
          Effect.timeoutFail({ duration: longestAnswer, onTimeout: () => ({ message: "it does not answer" }) }),
          Effect.either
        )
      if (revoked._tag === "Left") {
        // What it does not know cannot be used either.
        const over = "_tag" in revoked.left && ["InvalidGrant", "InvalidToken"].includes(revoked.left._tag)
        const dueAt = over ? undefined : yield* nextAt(grantId)
        if (dueAt !== undefined) {
          yield* Effect.logWarning("A grant could not be revoked at the service yet", revoked.left.message)
          yield* Effect.orDie(sql`UPDATE grants_to_end SET due_at = ${dueAt} WHERE grant_id = ${grantId}`)
          yield* noted.open
          return "asked"
        }
        yield* grants.forget(grantId)
      }
      yield* Effect.orDie(drop(grantId))
      return revoked._tag === "Right" && revoked.right ? "told" : "untold"
    })
    const endNow = (grantId: string) =>
      FiberMap.run(
        ending,
        grantId,
        end(grantId).pipe(
          // Its row is due again later.
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logWarning("A grant could not be ended", cause), "asked" as const)
          ),
          Effect.interruptible
        ),
        { onlyIfMissing: true }
      )
    const endAll = (grantIds: ReadonlyArray<string>) => Effect.forEach(grantIds, endNow)

    /** When the time of an offer is over it ends like any other; the grant of one that was answered is not there any more. */
    const expire = Effect.fnUntraced(function* (grantId: string) {
      const [, userId = "", offerId = ""] = grantId.split(" ")
      yield* endAll(yield* atOnce(settle(userId, offerId, "over")))
    })
    const stateOf = (userId: string, offerId: string) =>
      Effect.map(
        sql<{ readonly state: Answered | "open" }>`SELECT state FROM account_offers
          WHERE offer_id = ${offerId} AND user_id = ${userId}`,
        ([row]) => row?.state ?? "over"
      )
    const expireNow = (grantId: string) =>
      FiberMap.run(
        ending,
        grantId,
        expire(grantId).pipe(
          // Its row is due again later.
          Effect.catchAllCause((cause) => Effect.logWarning("An offer could not be ended", cause)),
          Effect.as(undefined),
          Effect.interruptible
        ),
        { onlyIfMissing: true }
      )

    // Each of them is tried by a fiber of its own, so that this one waits for no service.
    const look = Effect.gen(function* () {
      yield* noted.close
      const now = yield* Clock.currentTimeMillis
      for (const { grant_id } of yield* sql<Row>`SELECT * FROM grants_to_end WHERE due_at <= ${now}`) {
        yield* isOffered(grant_id) ? expireNow(grant_id) : endNow(grant_id)
      }
      const [next] = yield* sql<Row>`SELECT * FROM grants_to_end WHERE due_at > ${now} ORDER BY due_at LIMIT 1`
      return Math.min(Number(next?.due_at ?? Infinity) - now, longestAnswer)
    }).pipe(
      Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("Grants could not be ended", cause), longestAnswer))
    )
    // Who was about to end one is gone.
    yield* Effect.orDie(sql`UPDATE grants_to_end SET due_at = 0 WHERE grant_id LIKE 'ending %'`)
    yield* look.pipe(
      Effect.flatMap((wait) => Effect.raceFirst(noted.await, Effect.sleep(wait))),
      Effect.forever,
      Effect.forkScoped
    )

    return Replacements.of({
      offer: Effect.fn("Replacements.offer")(function* (userId, tokens) {
        const offerId = randomUUID()
        const offered = offeredTo(userId, offerId)
        const now = yield* Clock.currentTimeMillis
        const asides = yield* atOnce(
          Effect.gen(function* () {
            const before = yield* overAll(userId)
            const row = { offer_id: offerId, user_id: userId, state: "open", created_at: now }
            yield* sql`INSERT INTO account_offers ${sql.insert(row)}`
            yield* note(offered, now + patience)
            return before
          })
        )
        yield* grants.save(offered, tokens)
        yield* noted.open
        yield* endAll(asides)
        return offerId
      }, Effect.uninterruptible),
      accept: Effect.fn("Replacements.accept")(function* (userId, offerId) {
        const { asides, now, state } = yield* atOnce(
          Effect.gen(function* () {
            const state = yield* stateOf(userId, offerId)
            if (state !== "open") return { asides: [], state, now: false }
            const offered = offeredTo(userId, offerId)
            if (!Option.exists(yield* grants.describe(offered), ({ dead }) => Option.isNone(dead))) {
              return { asides: yield* settle(userId, offerId, "over"), state: "over" as const, now: false }
            }
            const before = yield* setAside(userId, userId)
            if (!(yield* grants.move(offered, userId)))
              return yield* Effect.dieMessage("an offered grant has no tokens")
            yield* drop(offered)
            yield* sql`UPDATE account_offers SET state = 'replaced' WHERE offer_id = ${offerId}`
            return { asides: before, state: "replaced" as const, now: true }
          })
        )
        // Agents are stopped while the service still lets the bot talk to them.
        const ran = now ? yield* accounts.ended(userId) : { stopped: 0, left: 0 }
        yield* endAll(asides)
        return { ...ran, state }
      }, Effect.uninterruptible),
      refuse: Effect.fn("Replacements.refuse")(function* (userId, offerId) {
        const { asides, state } = yield* atOnce(
          Effect.gen(function* () {
            const state = yield* stateOf(userId, offerId)
            if (state !== "open") return { asides: [], state }
            return { asides: yield* settle(userId, offerId, "kept"), state: "kept" as const }
          })
        )
        yield* endAll(asides)
        return state
      }, Effect.uninterruptible),
      withdraw: Effect.fn("Replacements.withdraw")(
        (userId) => Effect.asVoid(Effect.flatMap(atOnce(overAll(userId)), endAll)),
        Effect.uninterruptible
      ),
      disconnect: Effect.fn("Replacements.disconnect")(function* (userId) {
        const { asides, before, there } = yield* atOnce(
          Effect.gen(function* () {
            const there = Option.isSome(yield* grants.describe(userId))
            return { there, asides: yield* overAll(userId), before: yield* setAside(userId, userId) }
          })
        )
        yield* endAll(asides)
        // Agents are stopped while the service still lets the bot talk to them.
        const ran = yield* accounts.ended(userId)
        const [ended] = yield* endAll(before)
        if (ended === undefined) return { ...ran, service: there ? "untold" : "none" } as const
        const told = yield* Effect.interruptible(Effect.timeoutOption(Fiber.join(ended), "5 seconds"))
        return { ...ran, service: Option.getOrUndefined(told) ?? ("asked" as const) }
      }, Effect.uninterruptible)
    })
  })
)

interface Row {
  readonly grant_id: string
  readonly due_at: number
  readonly since: number
}

const isOffered = (grantId: string): boolean => grantId.startsWith("offered ") && grantId.split(" ").length === 3

/** As long as the private question can be answered, in milliseconds. */
const patience = 15 * 60_000

/** How long the service has to confirm that a grant is revoked, in milliseconds. */
const longestAnswer = 30_000

/** The waits until it is told again: as long as it has taken so far. */
const shortestWait = 2000
const longestWait = 6 * 3_600_000

/** How long a grant may live whose end is not known: no service is known to keep one for longer. In milliseconds. */
const longestLife = 366 * 86_400_000
