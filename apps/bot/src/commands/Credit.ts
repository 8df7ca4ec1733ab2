import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import * as Cards from "../view/Cards.ts"
import type { Command } from "./Command.ts"
import { notConnected } from "./ConnectAccount.ts"

/** `/credit`: the quota of the current period, what is used and what is left. */
export const Credit: Command<Accounts> = {
  path: "credit",
  describe: ({ commands }) => ({ ...commands.credit, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("Credit.handle")(function* ({ reply }, messages) {
    const accounts = yield* Accounts
    if (!(yield* accounts.isConnected(reply.userId))) return Option.some(notConnected(messages))
    const quota = yield* accounts.use(reply.userId, ({ credits }) => credits.quota)
    const total = quota.total
    const used = quota.used
    const left = total - used
    const parts = total > 0 ? Math.max(0, Math.min(10, Math.round((used / total) * 10))) : 10
    const low = total > 0 && left / total < 0.2
    return Option.some({
      content: "",
      embeds: [
        {
          title: messages.credit.title,
          description: [
            `${"■".repeat(parts)}${"□".repeat(10 - parts)}`,
            messages.credit.text(left.toLocaleString("en"), used.toLocaleString("en"), total.toLocaleString("en")),
            ...(low ? [messages.credit.low] : [])
          ].join("\n"),
          color: low ? Cards.colors.waiting : Cards.colors.good
        }
      ]
    })
  })
}
