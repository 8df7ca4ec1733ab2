import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Table from "../database/Table.ts"

/** The end of an offer: the account was replaced, it was kept, or the offer expired otherwise. */
export type OfferOutcome = "replaced" | "kept" | "over"

/** Offers to replace the connected account. */
export class AccountOffers extends Context.Tag("@heddle/bot/AccountOffers")<
  AccountOffers,
  {
    readonly add: (userId: string, offerId: string) => Effect.Effect<void>
    /** `over` when the person has no such offer. */
    readonly state: (userId: string, offerId: string) => Effect.Effect<OfferOutcome | "open">
    /** Ends an open offer. */
    readonly settle: (offerId: string, outcome: OfferOutcome) => Effect.Effect<void>
    /** Ends all offers to a person and deletes the outcomes of earlier ones. */
    readonly settleAll: (userId: string) => Effect.Effect<void>
    /** The ids of the open offers to a person. */
    readonly open: (userId: string) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

export const layer = Table.layer(AccountOffers, (sql) =>
  AccountOffers.of({
    add: (userId, offerId) =>
      Table.writeNow(
        (now) => sql`INSERT INTO account_offers
          ${sql.insert({ offer_id: offerId, user_id: userId, state: "open", created_at: now })}`
      ),
    state: (userId, offerId) =>
      sql<{ readonly state: OfferOutcome | "open" }>`SELECT state FROM account_offers
          WHERE offer_id = ${offerId} AND user_id = ${userId}`.pipe(
        Effect.orDie,
        Effect.map(([row]) => row?.state ?? "over")
      ),
    settle: (offerId, outcome) =>
      sql`UPDATE account_offers SET state = ${outcome} WHERE offer_id = ${offerId} AND state = 'open'`.pipe(
        Table.write
      ),
    settleAll: (userId) => sql`UPDATE account_offers SET state = 'over' WHERE user_id = ${userId}`.pipe(Table.write),
    open: (userId) =>
      sql<{ readonly offer_id: string }>`SELECT offer_id FROM account_offers
          WHERE user_id = ${userId} AND state = 'open'`.pipe(Table.all(({ offer_id }) => offer_id))
  })
)
