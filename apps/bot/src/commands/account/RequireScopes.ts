import type { Scope } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import { withRelatedScopes } from "../../account/Connect.ts"
import { allowButton } from "../../view/ConnectButtons.ts"
import type { Permitted } from "../../access/Guard.ts"
import type { SlashCommand, ReplyTo } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import { scopeName } from "../../messages/Explain.ts"
import type { Messages } from "../../messages/Messages.ts"
import { notConnected } from "./ConnectAccount.ts"

/** Why this person cannot use the service now, with the button of the remedy; undefined when they can. */
export const accountProblem = Effect.fn("RequireScopes.accountProblem")(function* (
  reply: ReplyTo,
  messages: Messages,
  scopes: ReadonlyArray<Scope>
): Effect.fn.Return<MessageBody | undefined, never, Accounts> {
  const { userId } = reply
  const accounts = yield* Accounts
  if (!(yield* accounts.isConnected(userId))) return notConnected(messages, scopes)
  if ((yield* accounts.missingScopes(userId, scopes)).length === 0) return undefined
  // The button also requests related scopes, so that the next command needs no second authorization.
  const missing = yield* accounts.missingScopes(userId, withRelatedScopes(scopes))
  const scopeNames = missing.map((scope) => scopeName(messages, scope))
  return { content: messages.connecting.missingScopes(scopeNames), rows: [[allowButton(messages, missing)]] }
})

/** Handles a command once the account of its person grants these scopes; otherwise answers with the problem. */
export const withScopes =
  <E, R>(
    scopes: ReadonlyArray<Scope>,
    handle: (event: Permitted<SlashCommand>, messages: Messages) => Effect.Effect<Option.Option<MessageBody>, E, R>
  ) =>
  (event: Permitted<SlashCommand>, messages: Messages): Effect.Effect<Option.Option<MessageBody>, E, Accounts | R> =>
    Effect.flatMap(accountProblem(event.reply, messages, scopes), (problem) =>
      problem === undefined ? handle(event, messages) : Effect.succeedSome(problem)
    )
