import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Store } from "../../store/database/Transaction.ts"
import * as AtWork from "../../store/account/AccountWork.ts"
import { Accounts } from "../../access/Accounts.ts"
import { Replacements } from "../../account/Replacements.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type CommandHandler, type Component, ownAccount, say } from "../Command.ts"

/** `/disconnect`: ends the bot's access to the account; asks first when work depends on it. */
export const DisconnectAccount: CommandHandler<Accounts | Replacements | Store> = {
  path: "disconnect",
  describe: ({ commands }) => ({ ...commands.disconnect, options: [] }),
  answers: "privately",
  action: ownAccount,
  handle: Effect.fn("DisconnectAccount.handle")(function* ({ reply: { userId } }, messages) {
    const { disconnecting } = messages
    const work = messages.atWork(yield* AtWork.countWork(userId))
    if (work.length === 0 || !(yield* (yield* Accounts).isConnected(userId))) {
      return Option.some(say(yield* disconnect(userId, messages)))
    }
    return Option.some({
      content: [disconnecting.question, ...work, disconnecting.choose].join("\n"),
      rows: [
        [
          { label: disconnecting.disconnect, style: "danger" as const, customId: "c4:disconnect" },
          { label: disconnecting.stayConnected, style: "secondary" as const, customId: "c4:keep" }
        ]
      ]
    })
  })
}

/** The answer to the question whether to disconnect. */
export const DisconnectChoice: Component<Accounts | Replacements> = {
  id: /^c4:(disconnect|keep)$/,
  answers: "inPlace",
  action: ownAccount,
  handle: Effect.fn("DisconnectAccount.choose")(function* ({ customId, reply: { userId } }, messages) {
    if (customId === "c4:disconnect") return Option.some(say(yield* disconnect(userId, messages)))
    // Another such question may have been answered meanwhile.
    const connected = yield* (yield* Accounts).isConnected(userId)
    return Option.some(say(connected ? messages.disconnecting.kept : messages.notConnected))
  })
}

/** Disconnects; returns whether the service confirmed it, and what became of the account's work. */
const disconnect = Effect.fnUntraced(function* (userId: string, messages: Messages) {
  const { done, work } = messages.disconnecting
  const { continuing, revocation, stopped } = yield* (yield* Replacements).disconnect(userId)
  if (revocation === "none") return messages.notConnected
  return [done[revocation], ...work(stopped, continuing)].join(messages.between)
})
