import * as SqlClient from "@effect/sql/SqlClient"
import * as CallOptions from "@heddle/core/CallOptions"
import type { CreditQuota } from "@heddle/core/domain/CreditQuota"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import { Accounts } from "../access/Accounts.ts"
import { AccountUsage } from "../model/AccountUsage.ts"
import { Languages } from "../store/Languages.ts"
import { DirectMessages } from "../discord/DirectMessages.ts"

/** Whether a fifth of the credits, or less, is left. */
export const isLow = ({ total, used }: CreditQuota): boolean => total > 0 && (total - used) / total <= 0.2

/** Tells people privately, once, when their credits run low; again only after they had more in between. */
export class CreditWatch extends Context.Tag("@heddle/bot/CreditWatch")<
  CreditWatch,
  {
    /** The person has just seen how their credits stand. */
    readonly seen: (userId: string, quota: CreditQuota) => Effect.Effect<void>
  }
>() {}

/** Also hears of the ends of turns: each end looks at the credits of the account. */
export const layer: Layer.Layer<
  AccountUsage | CreditWatch,
  never,
  Accounts | Languages | DirectMessages | SqlClient.SqlClient
> = Layer.scopedContext(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const languages = yield* Languages
    const notices = yield* DirectMessages
    const sql = yield* SqlClient.SqlClient
    const looking = yield* FiberMap.make<string>()

    /** Keeps whether the credits are low; true when they have just become so. */
    const noteLow = (userId: string, low: boolean, now: number) =>
      (low
        ? sql`INSERT INTO credit_hints ${sql.insert({ user_id: userId, told_at: now })}
              ON CONFLICT (user_id) DO NOTHING RETURNING user_id`
        : Effect.as(sql`DELETE FROM credit_hints WHERE user_id = ${userId}`, [])
      ).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      )

    const look = Effect.fn("CreditWatch.look")(function* (userId: string, guildId: string) {
      const quota = yield* accounts
        .use(userId, ({ credits }) => credits.quota)
        .pipe(CallOptions.with({ retry: "none", timeout: "10 seconds" }))
      const now = yield* Clock.currentTimeMillis
      if (!(yield* noteLow(userId, isLow(quota), now))) return
      const { credit } = yield* languages.ofPersonLater(userId, guildId)
      yield* notices.tell(`credit ${userId} ${now}`, userId, { content: credit.hint(quota.used >= quota.total) })
    })

    const usage = AccountUsage.of({
      turnEnded: (userId, guildId) =>
        FiberMap.run(
          looking,
          userId,
          look(userId, guildId).pipe(
            // The end of the next turn looks again.
            Effect.catchAllCause((cause) => Effect.logDebug("Credits could not be looked at", cause))
          )
        ).pipe(Effect.asVoid)
    })
    const watch = CreditWatch.of({
      seen: (userId, quota) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => noteLow(userId, isLow(quota), now)).pipe(Effect.asVoid)
    })
    return Context.make(CreditWatch, watch).pipe(Context.add(AccountUsage, usage))
  })
)
