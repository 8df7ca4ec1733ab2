import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Table from "../database/Table.ts"

/** The people who got a hint on low credits. */
export class CreditHints extends Context.Tag("@heddle/bot/CreditHints")<
  CreditHints,
  {
    /** Stores whether a person's credits are low; true when that is new. */
    readonly setLow: (userId: string, low: boolean) => Effect.Effect<boolean>
  }
>() {}

export const layer = Table.layer(CreditHints, (sql) =>
  CreditHints.of({
    setLow: Effect.fn("CreditHints.setLow")(function* (userId, low) {
      if (!low) {
        yield* sql`DELETE FROM credit_hints WHERE user_id = ${userId}`
        return false
      }
      const rows = yield* sql`INSERT INTO credit_hints
          ${sql.insert({ user_id: userId, told_at: yield* Clock.currentTimeMillis })}
          ON CONFLICT (user_id) DO NOTHING RETURNING user_id`
      return rows.length > 0
    }, Effect.orDie)
  })
)
