import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../connect/Accounts.ts"
import { Connect } from "../connect/Connect.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { type Command, type Component, say } from "./Command.ts"

/** `/connect`: a private link to the service's own page. */
export const ConnectAccount: Command<Accounts | Connect> = {
  path: "connect",
  describe: ({ commands }) => ({ ...commands.connect, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("ConnectAccount.handle")(function* ({ reply }, messages) {
    if (yield* (yield* Accounts).isConnected(reply.userId)) return Option.some(say(messages.alreadyConnected))
    const { url } = yield* (yield* Connect).begin(reply.userId)
    return Option.some({
      content: messages.connectFirst.plainText,
      buttons: [[{ label: messages.connectFirst.button, style: "primary", url }]]
    })
  })
}

/** What somebody without a connected account is told, with the way to connect it. */
export const notConnected = (messages: Messages): MessageBody => ({
  content: messages.notConnected,
  buttons: [[{ label: messages.connectFirst.button, style: "primary", customId: "c1:connect" }]]
})

/** The button below words in public that ask somebody to connect: whoever presses it gets a link of their own. */
export const ConnectButton: Component<Connect> = {
  id: /^c1:/,
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("ConnectButton.handle")(function* ({ reply }, messages) {
    const { url } = yield* (yield* Connect).begin(reply.userId)
    return Option.some({
      content: messages.connectFirst.plainText,
      buttons: [[{ label: messages.connectFirst.button, style: "primary", url }]]
    })
  })
}
