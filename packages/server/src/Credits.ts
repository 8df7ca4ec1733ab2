import * as SqlClient from "@effect/sql/SqlClient"
import { CreditQuota } from "@heddle/core/domain/CreditQuota"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Crypto from "node:crypto"

/** The credits of the users. */
export class Credits extends Context.Tag("@heddle/server/Credits")<
  Credits,
  {
    /** Total and use over the user's packs that are valid or used up (2.4). */
    readonly quota: (userId: string) => Effect.Effect<CreditQuota>
    /** Adds a pack of `size` credits. */
    readonly give: (userId: string, size: number) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Credits, never, SqlClient.SqlClient> = Layer.effect(
  Credits,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      quota: Effect.fn("Credits.quota")(function* (userId) {
        const rows = yield* sql<{ total: number; used: number }>`
          SELECT COALESCE(SUM(size), 0) AS total, COALESCE(SUM(used), 0) AS used FROM credit_packs
          WHERE user_id = ${userId} AND status IN ('valid', 'used_up')`
        return new CreditQuota({ total: rows[0]?.total ?? 0, used: rows[0]?.used ?? 0 })
      }, Effect.orDie),

      give: Effect.fn("Credits.give")(function* (userId, size) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO credit_packs (pack_id, user_id, size, used, status, created_at)
          VALUES (${Crypto.randomUUID()}, ${userId}, ${size}, 0, 'valid', ${now})`
      }, Effect.orDie)
    }
  })
)
