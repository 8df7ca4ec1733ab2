import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CreditWatch, isLow } from "../../account/CreditWatch.ts"
import { Accounts } from "../../access/Accounts.ts"
import { colors } from "../../view/Colors.ts"
import { type CommandHandler, readsOwnAccount } from "../Command.ts"
import { withScopes } from "./RequireScopes.ts"

/** `/credit`: the quota of the current period, the used and the remaining credits. */
export const Credit: CommandHandler<Accounts | CreditWatch> = {
  path: "credit",
  describe: ({ commands }) => ({ ...commands.credit, options: [] }),
  ...readsOwnAccount,
  handle: withScopes(
    ["user.credit.readable"],
    Effect.fn("Credit.handle")(function* ({ reply }, messages) {
      const { credit } = messages
      const quota = yield* (yield* Accounts).use(reply.userId, ({ credits }) => credits.quota)
      yield* (yield* CreditWatch).noteQuota(reply.userId, quota)
      const { total, used } = quota
      // The used credits may exceed the total, and the total may be zero.
      const share = total > 0 ? Math.max(0, Math.min(1, used / total)) : 1
      const parts = Math.round(share * 20)
      return Option.some({
        content: "",
        embeds: [
          {
            title: credit.title,
            description: [
              `\`${"█".repeat(parts)}${"░".repeat(20 - parts)}\` ${credit.usedShare(share * 100)}`,
              credit.balance(
                (total - used).toLocaleString("en"),
                used.toLocaleString("en"),
                total.toLocaleString("en")
              ),
              ...(isLow(quota) ? [credit.lowWarning] : [])
            ].join("\n"),
            color: isLow(quota) ? colors.waiting : colors.good
          }
        ]
      })
    })
  )
}
