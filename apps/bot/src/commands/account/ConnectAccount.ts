import type { Scope } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Store } from "../../store/database/Transaction.ts"
import { Accounts } from "../../access/Accounts.ts"
import {
  type LinkRequester,
  Connect,
  type Confirmation,
  isKnownScope,
  scopes,
  withRelatedScopes
} from "../../account/Connect.ts"
import { connectButton } from "../../view/ConnectButtons.ts"
import { invite } from "../../account/Invitation.ts"
import { ConnectMessages } from "../../account/ConnectMessages.ts"
import * as Resume from "../../account/Resume.ts"
import { scopeName } from "../../messages/Explain.ts"
import type { ComponentOrModalSubmit } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type CommandHandler, type Component, ownAccount, say } from "../Command.ts"
import { askToReplace, nameOf } from "./ReplaceAccount.ts"

/** `/connect`: gives a private link to the service's authorization page. */
export const ConnectAccount: CommandHandler<Accounts | Connect> = {
  path: "connect",
  describe: ({ commands }) => ({ ...commands.connect, options: [] }),
  answers: "privately",
  action: ownAccount,
  handle: Effect.fn("ConnectAccount.handle")(function* ({ reply }, messages) {
    const accounts = yield* Accounts
    const hasAllScopes = (yield* accounts.missingScopes(reply.userId, scopes)).length === 0
    if (hasAllScopes && (yield* accounts.isConnected(reply.userId))) return Option.some(say(messages.alreadyConnected))
    return Option.some(yield* invite(reply, messages, messages.connectFirst.plainText([])))
  })
}

/** The text for a person without a connected account, with a button that connects it for these scopes, too. */
export const notConnected = (messages: Messages, scopesNeeded: ReadonlyArray<Scope> = []): MessageBody => {
  const more = withRelatedScopes(scopesNeeded).filter((scope) => !scopes.includes(scope))
  return { content: messages.notConnected, rows: [[connectButton(messages, more)]] }
}

/** The button below a public request to connect: everyone who presses it gets a link of their own. */
export const ConnectButton: Component<Connect> = {
  id: /^c1:/,
  answers: "personally",
  action: ownAccount,
  handle: Effect.fn("ConnectAccount.connect")(function* (event, messages) {
    const { customId } = event
    const more = parseScopes(customId.split(":")[2] ?? "")
    const words = messages.connectFirst.plainText(scopeNames(messages, more))
    return Option.some(yield* invite(linkRequester(event), messages, words, more))
  })
}

/** The button below a refusal for missing scopes: a link that requests these besides the granted ones. */
export const AllowMore: Component<Connect> = {
  id: /^g1:/,
  answers: "personally",
  action: ownAccount,
  handle: Effect.fn("ConnectAccount.allowMore")(function* (event, messages) {
    const { customId } = event
    const more = withRelatedScopes(parseScopes(customId.slice("g1:".length)))
    const what = scopeNames(messages, more)
    const words = what.length === 0 ? messages.connectFirst.plainText([]) : messages.connecting.allowMore(what)
    return Option.some(
      yield* invite(
        linkRequester(event),
        messages,
        words,
        more,
        what.length === 0 ? undefined : messages.connecting.openPage
      )
    )
  })
}

/** Opens the form for the one-time code. */
export const EnterCode: Component<never> = {
  id: /^c2:code$/,
  answers: "withForm",
  action: ownAccount,
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
          minLength: 8,
          maxLength: 20,
          isMultiline: false
        }
      ]
    })
}

/**
 * The form with the one-time code: connects the account and resumes waiting work. The answer with the link shows the
 * result.
 */
export const CodeSubmit: Component<Accounts | Connect | ConnectMessages | Resume.Requirements | Store> = {
  id: /^c2:say$/,
  answers: "inPlace",
  action: ownAccount,
  handle: Effect.fn("ConnectAccount.submitCode")(function* (event, messages) {
    const { connecting } = messages
    const { sourceInteractionId, fields, reply } = event
    const { userId } = reply
    const connectMessages = yield* ConnectMessages
    const linkFailed = (words: string) =>
      Effect.as(connectMessages.close(userId, "over", sourceInteractionId), {
        ...say(words),
        rows: [[connectButton(messages)]]
      })
    return yield* Effect.gen(function* () {
      const confirmed = yield* (yield* Connect).confirm(userId, Redacted.make(fields["code"] ?? ""))
      if (confirmed._tag === "Offered") {
        const { offerId } = confirmed
        yield* connectMessages.close(userId, "offered", sourceInteractionId)
        yield* connectMessages.track(event, { offerId })
        return Option.some(yield* askToReplace(userId, offerId, messages))
      }
      const name = yield* nameOf(userId)
      const starting = [messages.connectedStarting, ...accountName(name, messages)].join(messages.between)
      const resumed = yield* Resume.resume(userId, event, starting)
      yield* connectMessages.removeAll(userId, [
        ...resumed,
        ...(sourceInteractionId === undefined ? [] : [sourceInteractionId])
      ])
      // The resumed work reports its own result.
      return resumed.some((id) => id === sourceInteractionId)
        ? Option.none()
        : Option.some(
            say([outcome(confirmed, resumed.length, messages), ...accountName(name, messages)].join(messages.between))
          )
    }).pipe(
      Effect.catchTags({
        ConfirmationRejected: ({ reason, triesLeft }) => {
          switch (reason) {
            case "wrong":
              return Effect.succeedSome({
                ...say(connecting.wrongCode(triesLeft)),
                rows: [[{ label: connecting.enterCode, style: "primary" as const, customId: "c2:code" }]]
              })
            case "tooOften":
              return Effect.asSome(linkFailed(connecting.tooOften))
            case "none":
              // The person may not have followed the link yet, or sent the same code twice.
              return Effect.succeedSome({
                ...say(connecting.noPendingCode),
                rows: [[connectButton(messages)]],
                besides: true as const
              })
          }
        },
        InvalidGrant: () => Effect.asSome(linkFailed(connecting.signInExpired))
      })
    )
  })
}

/** Names the account: the browser may have been signed in to a different one. */
const accountName = (name: string | undefined, { connecting }: Messages): ReadonlyArray<string> =>
  name === undefined ? [] : [connecting.connectedAccount(name)]

/** The result of the code and the next step. */
const outcome = (
  { allowed, before, refused }: Extract<Confirmation, { readonly _tag: "Connected" }>,
  resumed: number,
  messages: Messages
): string => {
  const { connecting } = messages
  const requestedMore = allowed.length + refused.length > 0
  return [
    ...(before === "connected" && requestedMore && resumed === 0 ? [] : [`✅ ${messages.connected}`]),
    ...(resumed > 0 ? [messages.waitingWorkResumes] : []),
    ...(allowed.length > 0 ? [connecting.allowed(scopeNames(messages, allowed))] : []),
    ...(refused.length > 0 ? [connecting.notAllowed(scopeNames(messages, refused))] : []),
    ...(resumed === 0 && !requestedMore ? [before === "none" ? connecting.startsTasks : connecting.worksAgain] : [])
  ].join(messages.between)
}

/** The person of the link, and the answer that shows it: the pressed one if it is private. */
const linkRequester = ({ sourceInteractionId, inPrivate, reply }: ComponentOrModalSubmit): LinkRequester => ({
  ...reply,
  id: inPrivate === true ? (sourceInteractionId ?? reply.id) : reply.id
})

/** The scopes in a button's id; unknown ones are ignored. */
const parseScopes = (text: string): ReadonlyArray<Scope> => text.split(",").filter(isKnownScope)

const scopeNames = (messages: Messages, scopes: ReadonlyArray<Scope>): ReadonlyArray<string> =>
  scopes.map((scope) => scopeName(messages, scope))
