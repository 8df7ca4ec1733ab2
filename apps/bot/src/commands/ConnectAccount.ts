import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import { Connect } from "../connect/Connect.ts"
import { type Command, say } from "./Command.ts"

/** `/connect`: a private link to the service's own page. */
export const ConnectAccount: Command<Accounts | Connect> = {
  path: "connect",
  describe: ({ commands }) => ({ ...commands.connect, options: [] }),
  action: () => Effect.succeedSome({ _tag: "OwnAccount" }),
  handle: Effect.fn("ConnectAccount.handle")(function* ({ reply }, messages) {
    if (yield* (yield* Accounts).isConnected(reply.userId)) return Option.some(say(messages.alreadyConnected))
    const { url } = yield* (yield* Connect).begin(reply.userId)
    return Option.some({
      content: messages.connectFirst.plainText,
      buttons: [[{ label: messages.connectFirst.button, style: "primary", url }]]
    })
  })
}
