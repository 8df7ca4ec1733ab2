import type { Scope } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import { withFamily } from "../../account/Connect.ts"
import { allowButton } from "../../view/ConnectButtons.ts"
import type { Permitted } from "../../access/Guarded.ts"
import type { SlashCommand, ReplyTo } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import { scopeName } from "../../messages/Explain.ts"
import type { Messages } from "../../messages/Messages.ts"
import { notConnected } from "./ConnectAccount.ts"

/** Why this person cannot use the service now, with the button of the remedy; undefined when they can. */
export const obstacle = Effect.fn("WithAccount.obstacle")(function* (
  reply: ReplyTo,
  messages: Messages,
  scopes: ReadonlyArray<Scope>
): Effect.fn.Return<MessageBody | undefined, never, Accounts> {
  const { userId } = reply
  const accounts = yield* Accounts
  if (!(yield* accounts.isConnected(userId))) return notConnected(messages, scopes)
  if ((yield* accounts.lacks(userId, scopes)).length === 0) return undefined
  const missing = yield* accounts.lacks(userId, withFamily(scopes))
  const what = missing.map((scope) => scopeName(messages, scope))
  return { content: messages.connecting.lacks(what), rows: [[allowButton(messages, missing)]] }
})

/** Handles a command once the account of its person grants these scopes; otherwise answers what stands in the way. */
export const withScopes =
  <E, R>(
    scopes: ReadonlyArray<Scope>,
    handle: (event: Permitted<SlashCommand>, messages: Messages) => Effect.Effect<Option.Option<MessageBody>, E, R>
  ) =>
  (event: Permitted<SlashCommand>, messages: Messages): Effect.Effect<Option.Option<MessageBody>, E, Accounts | R> =>
    Effect.flatMap(obstacle(event.reply, messages, scopes), (obstructed) =>
      obstructed === undefined ? handle(event, messages) : Effect.succeedSome(obstructed)
    )
