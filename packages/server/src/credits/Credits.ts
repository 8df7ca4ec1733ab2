import * as SqlClient from "@effect/sql/SqlClient"
import { CreditQuota } from "@heddle/core/domain/CreditQuota"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import * as UserLock from "../sql/UserLock.ts"

/** Credits that a user is given at once; `expiresAt` is epoch milliseconds, and without it they do not expire. */
export interface NewPack {
  readonly userId: string
  readonly size: number
  readonly source: "initial" | "redemption"
  readonly expiresAt?: number | undefined
  /** What the credits are given for; the ledger takes a reference only once. */
  readonly reference?: string
}

/** The credits of the users: packs, and a ledger of what was issued and used that is only ever added to. */
export class Credits extends Context.Tag("@heddle/server/credits/Credits")<
  Credits,
  {
    /**
     * Total and use over the user's packs that are valid or used up; expired ones do not count any more (contract
     * 2.4).
     */
    readonly quota: (userId: string) => Effect.Effect<CreditQuota>
    /** What the user can still spend; none while they never had a pack, which means that nobody counts. */
    readonly left: (userId: string) => Effect.Effect<Option.Option<number>>
    /** Adds a pack. */
    readonly give: (pack: NewPack) => Effect.Effect<void>
    /**
     * Takes credits for what `reference` names, once however often it is called: from the pack that expires first,
     * going on to the next, and never more than there is. Gives what was taken by this call.
     */
    readonly use: (use: {
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

    /** The user's packs, those to use first in front; whether one is valid or used up follows from its two numbers. */
    const packs = Effect.fnUntraced(function* (userId: string) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql<Pack>`
        SELECT p.pack_id AS "packId", p.size AS size, p.expires_at AS "expiresAt",
          (SELECT COALESCE(SUM(l.amount), 0) FROM credit_ledger l WHERE l.pack_id = p.pack_id AND l.kind = 'used') AS used
        FROM credit_packs p WHERE p.user_id = ${userId}
        ORDER BY p.expires_at IS NULL, p.expires_at, p.created_at, p.pack_id`
      return { ever: rows.length > 0, current: rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now) }
    })

    return {
      quota: Effect.fn("Credits.quota")(function* (userId) {
        const { current } = yield* packs(userId)
        return new CreditQuota({ total: sum(current, (pack) => pack.size), used: sum(current, (pack) => pack.used) })
      }, Effect.orDie),

      left: Effect.fn("Credits.left")(function* (userId) {
        const { current, ever } = yield* packs(userId)
        return ever ? Option.some(sum(current, unused)) : Option.none()
      }, Effect.orDie),

      give: Effect.fn("Credits.give")(function* (pack) {
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

      use: Effect.fn("Credits.use")(function* ({ amount, reference, userId }) {
        const now = yield* Clock.currentTimeMillis
        return yield* Effect.gen(function* () {
          yield* UserLock.take(sql, userId)
          const before = yield* sql`SELECT 1 FROM credit_ledger WHERE kind = 'used' AND reference = ${reference}`
          if (before.length > 0) return 0
          const { current } = yield* packs(userId)
          let missing = amount
          let line = 0
          for (const pack of current) {
            const part = Math.min(missing, unused(pack))
            if (part === 0) continue
            yield* sql`INSERT INTO credit_ledger (kind, reference, line, pack_id, user_id, amount, at)
              VALUES ('used', ${reference}, ${line}, ${pack.packId}, ${userId}, ${part}, ${now})`
            missing -= part
            line += 1
          }
          return amount - missing
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

const unused = ({ size, used }: Pack): number => Math.max(size - used, 0)

const sum = (packs: ReadonlyArray<Pack>, of: (pack: Pack) => number): number =>
  packs.reduce((total, pack) => total + of(pack), 0)
