import * as CallOptions from "@heddle/core/CallOptions"
import type { CreditQuota } from "@heddle/core/domain/CreditQuota"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import { Accounts } from "../access/Accounts.ts"
import { AccountUsage } from "../model/AccountUsage.ts"
import { CreditHints } from "../store/account/CreditHints.ts"
import { Languages } from "../store/Languages.ts"
import { DirectMessages } from "./DirectMessages.ts"

/** Whether a fifth of the credits or less is left. */
export const isLow = ({ total, used }: CreditQuota): boolean => total > 0 && (total - used) / total <= 0.2

/** Sends one private hint when a person's credits run low; the next one only after the credits rose in between. */
export class CreditWatch extends Context.Tag("@heddle/bot/CreditWatch")<
  CreditWatch,
  {
    /** The person has just seen their credits. */
    readonly noteQuota: (userId: string, quota: CreditQuota) => Effect.Effect<void>
  }
>() {}

/** Also subscribes to the ends of turns and checks the credits of each turn's account. */
export const layer: Layer.Layer<
  AccountUsage | CreditWatch,
  never,
  Accounts | Languages | DirectMessages | CreditHints
> = Layer.scopedContext(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const languages = yield* Languages
    const messages = yield* DirectMessages
    const hints = yield* CreditHints
    const checks = yield* FiberMap.make<string>()

    const checkCredits = Effect.fn("CreditWatch.checkCredits")(function* (userId: string, guildId: string) {
      const quota = yield* accounts
        .use(userId, ({ credits }) => credits.quota)
        .pipe(CallOptions.with({ retry: "none", timeout: "10 seconds" }))
      const now = yield* Clock.currentTimeMillis
      if (!(yield* hints.setLow(userId, isLow(quota)))) return
      const { credit } = yield* languages.forStoredLocale(userId, guildId)
      yield* messages.send(`credit ${userId} ${now}`, userId, { content: credit.hint(quota.used >= quota.total) })
    })

    const usage = AccountUsage.of({
      turnEnded: (userId, guildId) =>
        FiberMap.run(
          checks,
          userId,
          checkCredits(userId, guildId).pipe(
            // The end of the next turn checks again.
            Effect.catchAllCause((cause) => Effect.logDebug("Credits could not be looked at", cause))
          )
        ).pipe(Effect.asVoid)
    })
    const watch = CreditWatch.of({
      noteQuota: (userId, quota) => Effect.asVoid(hints.setLow(userId, isLow(quota)))
    })
    return Context.make(CreditWatch, watch).pipe(Context.add(AccountUsage, usage))
  })
)
