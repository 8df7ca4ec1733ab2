import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { notSent } from "../../assistant/ChatDelivery.ts"
import * as MessageSending from "../../assistant/MessageSending.ts"
import { Accounts } from "../../access/Accounts.ts"
import type { ReplyTo } from "../../discord/DiscordEvent.ts"
import { Chats } from "../../store/Chats.ts"
import type { Messages } from "../../messages/Messages.ts"
import * as View from "../../view/AssistantChat.ts"
import { type CommandHandler, type Component, privateOwnAccount, ownAccount, readsOwnAccount, say } from "../Command.ts"
import { withScopes } from "./RequireScopes.ts"

/** `/assistant status`: whether the assistant on the person's computer is connected. */
export const AssistantStatus: CommandHandler<Accounts> = {
  path: "assistant status",
  describe: ({ commands }) => ({ ...commands.assistantStatus, options: [] }),
  ...readsOwnAccount,
  handle: withScopes(
    ["user.localassistant.readable"],
    Effect.fn("Assistant.status")(function* ({ reply }, messages) {
      const { online } = yield* (yield* Accounts).use(reply.userId, ({ assistant }) => assistant.status)
      return Option.some(say(online ? messages.assistant.online : messages.assistant.offline))
    })
  )
}

/** `/assistant send`: sends one message to the assistant on the person's computer. */
export const AssistantSend: CommandHandler<Accounts | Chats> = {
  path: "assistant send",
  describe: ({ commands: { assistantSend } }) => ({
    description: assistantSend.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: "message",
        description: assistantSend.message,
        required: true,
        max_length: 6000
      }
    ]
  }),
  ...privateOwnAccount,
  handle: withScopes(
    ["user.localassistant.invokable"],
    Effect.fn("Assistant.send")(function* ({ options, reply }, messages) {
      const text = String(options["message"] ?? "").trim()
      if (text === "") return Option.some(say(messages.assistant.nothingToSend))
      return yield* (yield* Accounts)
        .use(reply.userId, ({ assistant }) =>
          MessageSending.send(assistant, { text, idempotencyKey: reply.id, sentAt: undefined }, () => Effect.void)
        )
        .pipe(
          Effect.tap((sent) =>
            Option.isNone(sent)
              ? Effect.void
              : Effect.flatMap(Chats, (chats) => chats.rememberMessage(reply.id, sent.value))
          ),
          Effect.map((sent) => say(Option.isSome(sent) ? messages.assistant.sent : messages.assistant.deliveryUnknown)),
          Effect.catchTag("AssistantOffline", (error) => Effect.succeed(notSent(error, messages))),
          Effect.asSome
        )
    })
  )
}

/** `/assistant history`: pages through the messages with the assistant. */
export const AssistantHistory: CommandHandler<Accounts> = {
  path: "assistant history",
  describe: ({ commands }) => ({ ...commands.assistantHistory, options: [] }),
  ...readsOwnAccount,
  handle: withScopes(["user.localassistant.readable"], ({ reply }, messages) => Effect.asSome(page(reply, 0, messages)))
}

/** Shows another page of the history. */
export const AssistantHistoryPage: Component<Accounts> = {
  id: /^as1:\d{1,6}$/,
  answers: "inPlace",
  reads: true,
  action: ownAccount,
  handle: Effect.fn("Assistant.historyPage")(function* ({ customId, reply }, messages) {
    return Option.some(yield* page(reply, Number(customId.slice("as1:".length)), messages))
  })
}

const page = Effect.fnUntraced(function* ({ userId }: ReplyTo, at: number, messages: Messages) {
  const messagesOfPage = yield* (yield* Accounts).use(userId, ({ assistant }) =>
    assistant.history({ limit: View.historyPageSize, offset: at * View.historyPageSize })
  )
  return View.history(messagesOfPage.toReversed(), at, messages)
})
