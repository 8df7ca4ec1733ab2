import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../connect/Accounts.ts"
import { Connect, isKnown, scopes } from "../connect/Connect.ts"
import { connectButton, invite } from "../connect/Invitation.ts"
import * as Resume from "../connect/Resume.ts"
import { scopeName } from "../messages/Explain.ts"
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
    const accounts = yield* Accounts
    const complete = (yield* accounts.lacks(reply.userId, scopes)).length === 0
    if (complete && (yield* accounts.isConnected(reply.userId))) return Option.some(say(messages.alreadyConnected))
    return Option.some(yield* invite(reply, messages, messages.connectFirst.plainText))
  })
}

/** What somebody without a connected account is told, with the way to connect it. */
export const notConnected = (messages: Messages): MessageBody => ({
  content: messages.notConnected,
  buttons: [[connectButton(messages)]]
})

/** The button below words in public that ask somebody to connect: whoever presses it gets a link of their own. */
export const ConnectButton: Component<Connect> = {
  id: /^c1:/,
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("ConnectButton.handle")(function* ({ reply }, messages) {
    return Option.some(yield* invite(reply, messages, messages.connectFirst.plainText))
  })
}

/** The button below a refusal for want of access: a link that asks for exactly that besides what is granted. */
export const AllowMore: Component<Connect> = {
  id: /^g1:/,
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("AllowMore.handle")(function* ({ customId, reply }, messages) {
    const more = customId.slice("g1:".length).split(",").filter(isKnown)
    const what = more.map((scope) => scopeName(messages, scope))
    // What only a newer bot knows is not asked for.
    const words = what.length === 0 ? messages.connectFirst.plainText : messages.connecting.allowMore(what)
    return Option.some(yield* invite(reply, messages, words, more))
  })
}

/** Opens the form for the one-time code. */
export const EnterCode: Component<never> = {
  id: /^c2:code$/,
  answers: "withForm",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: (_, { connecting }) =>
    Effect.succeed({
      customId: "c2:say",
      title: connecting.enterCode,
      fields: [
        {
          id: "code",
          label: connecting.codeLabel,
          description: connecting.codeDescription,
          value: "",
          required: true,
          atLeast: 8,
          atMost: 20,
          long: false
        }
      ]
    })
}

/** The one-time code was typed: connects the account, and what waited for it goes on. */
export const SayCode: Component<Connect | Resume.Requirements> = {
  id: /^c2:say$/,
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("SayCode.handle")(function* ({ fields, reply }, messages) {
    const { connecting } = messages
    const again = {
      buttons: [[{ label: connecting.enterCode, style: "secondary" as const, customId: "c2:code" }]]
    }
    return yield* (yield* Connect).confirm(reply.userId, Redacted.make(fields["code"] ?? "")).pipe(
      Effect.zipRight(Resume.resume(reply.userId)),
      Effect.map((resumed) => say(resumed === 0 ? messages.connected : messages.connectedStarting)),
      Effect.catchTags({
        ConfirmationRejected: ({ reason, triesLeft }) =>
          Effect.succeed(
            reason === "wrong"
              ? { content: connecting.wrong(triesLeft), ...again }
              : { ...say(connecting[reason]), buttons: [[connectButton(messages)]] }
          ),
        InvalidGrant: () => Effect.succeed({ ...say(connecting.tooLate), buttons: [[connectButton(messages)]] })
      }),
      Effect.asSome
    )
  })
}
