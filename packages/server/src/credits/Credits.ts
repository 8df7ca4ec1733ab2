import * as SqlClient from "@effect/sql/SqlClient"
import { CreditQuota } from "@heddle/core/domain/CreditQuota"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import * as UserLock from "../sql/UserLock.ts"

/** Credits to issue as one pack; `expiresAt` is epoch milliseconds, and without it they do not expire. */
export interface NewPack {
  readonly userId: string
  readonly size: number
  readonly source: "initial" | "redemption"
  readonly expiresAt?: number | undefined
  /** What the credits are for; the ledger accepts a reference only once. */
  readonly reference?: string
}

/** The credits of the users: packs, and an append-only ledger of issued and used credits. */
export class Credits extends Context.Tag("@heddle/server/credits/Credits")<
  Credits,
  {
    /**
     * The total and used credits of the user's packs; expired packs do not count (contract 2.4).
     */
    readonly quota: (userId: string) => Effect.Effect<CreditQuota>
    /** The credits that the user can still spend; none if they never had a pack, so that their use is not metered. */
    readonly remaining: (userId: string) => Effect.Effect<Option.Option<number>>
    /** Adds a pack. */
    readonly addPack: (pack: NewPack) => Effect.Effect<void>
    /**
     * Spends credits once per `reference`, from the packs that expire first, and never more than there are. Returns the
     * amount that this call spent.
     */
    readonly spend: (request: {
      readonly userId: string
      readonly amount: number
      readonly reference: string
    }) => Effect.Effect<number>
  }
>() {}

export const layer: Layer.Layer<Credits, never, SqlClient.SqlClient> = Layer.effect(
  Credits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The user's packs that have not expired, in the order of use. */
    const packs = Effect.fnUntraced(function* (userId: string) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql<Pack>`
        SELECT p.pack_id AS "packId", p.size AS size, p.expires_at AS "expiresAt",
          (SELECT COALESCE(SUM(l.amount), 0) FROM credit_ledger l WHERE l.pack_id = p.pack_id AND l.kind = 'used') AS used
        FROM credit_packs p WHERE p.user_id = ${userId}
        ORDER BY p.expires_at IS NULL, p.expires_at, p.created_at, p.pack_id`
      return { hasAny: rows.length > 0, current: rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now) }
    })

    return {
      quota: Effect.fn("Credits.quota")(function* (userId) {
        const { current } = yield* packs(userId)
        return new CreditQuota({ total: sum(current, (pack) => pack.size), used: sum(current, (pack) => pack.used) })
      }, Effect.orDie),

      remaining: Effect.fn("Credits.remaining")(function* (userId) {
        const { current, hasAny } = yield* packs(userId)
        return hasAny ? Option.some(sum(current, remainingIn)) : Option.none()
      }, Effect.orDie),

      addPack: Effect.fn("Credits.addPack")(function* (pack) {
        const { userId, size, source } = pack
        const now = yield* Clock.currentTimeMillis
        const packId = Crypto.randomUUID()
        yield* Effect.gen(function* () {
          yield* sql`INSERT INTO credit_packs (pack_id, user_id, size, source, expires_at, created_at)
            VALUES (${packId}, ${userId}, ${size}, ${source}, ${pack.expiresAt ?? null}, ${now})`
          yield* sql`INSERT INTO credit_ledger (kind, reference, line, pack_id, user_id, amount, at)
            VALUES ('issued', ${pack.reference ?? packId}, 0, ${packId}, ${userId}, ${size}, ${now})`
        }).pipe(sql.withTransaction)
      }, Effect.orDie),

      spend: Effect.fn("Credits.spend")(function* ({ amount, reference, userId }) {
        const now = yield* Clock.currentTimeMillis
        return yield* Effect.gen(function* () {
          yield* UserLock.take(sql, userId)
          const earlier = yield* sql`SELECT 1 FROM credit_ledger WHERE kind = 'used' AND reference = ${reference}`
          if (earlier.length > 0) return 0
          const { current } = yield* packs(userId)
          let unpaid = amount
          let line = 0
          for (const pack of current) {
            const amountFromPack = Math.min(unpaid, remainingIn(pack))
            if (amountFromPack === 0) continue
            yield* sql`INSERT INTO credit_ledger (kind, reference, line, pack_id, user_id, amount, at)
              VALUES ('used', ${reference}, ${line}, ${pack.packId}, ${userId}, ${amountFromPack}, ${now})`
            unpaid -= amountFromPack
            line += 1
          }
          return amount - unpaid
        }).pipe(sql.withTransaction)
      }, Effect.orDie)
    }
  })
)

interface Pack {
  readonly packId: string
  readonly size: number
  readonly used: number
  readonly expiresAt: number | null
}

const remainingIn = ({ size, used }: Pack): number => Math.max(size - used, 0)

const sum = (packs: ReadonlyArray<Pack>, amountOf: (pack: Pack) => number): number =>
  packs.reduce((total, pack) => total + amountOf(pack), 0)
