import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import { type Command, say } from "./Command.ts"

/** `/disconnect`: the bot forgets its access to the account. */
export const DisconnectAccount: Command<Accounts> = {
  path: "disconnect",
  describe: ({ commands }) => ({ ...commands.disconnect, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("DisconnectAccount.handle")(function* ({ reply }, messages) {
    const known = yield* (yield* Accounts).forget(reply.userId)
    return Option.some(say(known ? messages.disconnected : messages.notConnected))
  })
}
