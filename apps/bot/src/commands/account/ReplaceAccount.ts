import * as CallOptions from "@heddle/core/CallOptions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Store } from "../../store/database/Transaction.ts"
import * as AtWork from "../../store/account/AccountWork.ts"
import { Accounts } from "../../access/Accounts.ts"
import { ConnectMessages } from "../../account/ConnectMessages.ts"
import { offeredTo } from "../../account/EndingGrants.ts"
import { Replacements } from "../../account/Replacements.ts"
import * as Resume from "../../account/Resume.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import type { Messages } from "../../messages/Messages.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type Component, ownAccount, say } from "../Command.ts"

/** Asks whether the newly signed-in account replaces the connected one. */
export const askToReplace = Effect.fn("ReplaceAccount.askToReplace")(function* (
  userId: string,
  offerId: string,
  messages: Messages
): Effect.fn.Return<MessageBody, never, Accounts | Store> {
  const { replacing } = messages
  const [before, after] = yield* Effect.all([nameOf(userId), nameOf(offeredTo(userId, offerId))], { concurrency: 2 })
  const work = yield* AtWork.countWork(userId)
  return {
    content: [replacing.question(before, after), ...messages.atWork(work), replacing.choose].join("\n"),
    rows: [
      [
        { label: replacing.replace, style: "danger", customId: `c3:replace:${offerId}` },
        { label: replacing.keepAccount, style: "secondary", customId: `c3:keep:${offerId}` }
      ]
    ]
  }
})

/** The person's choice between the two accounts. */
export const ReplaceAccount: Component<Accounts | ConnectMessages | Replacements | Resume.Requirements> = {
  // Controls of an earlier version name no offer.
  id: /^c3:(replace|keep)(:[\w-]+)?$/,
  answers: "inPlace",
  action: ownAccount,
  handle: Effect.fn("ReplaceAccount.handle")(function* (event, messages) {
    const { sourceInteractionId, customId, reply } = event
    const { userId } = reply
    const { replacing } = messages
    const replacements = yield* Replacements
    const connectMessages = yield* ConnectMessages
    const [, choice = "", offerId = ""] = customId.split(":")
    const after = choice === "keep" ? undefined : yield* nameOf(offeredTo(userId, offerId))
    // The first click counts; later clicks show the same result.
    const { continuing, state, stopped } = yield* choice === "keep"
      ? Effect.map(replacements.refuse(userId, offerId), (state) => ({ continuing: 0, state, stopped: 0 }))
      : replacements.accept(userId, offerId)
    switch (state) {
      case "over":
        return Option.some(say(replacing.over))
      case "kept":
        yield* connectMessages.close(userId, "kept", sourceInteractionId)
        return Option.some(say(replacing.kept))
      case "replaced": {
        const name = after ?? (yield* nameOf(userId))
        const replaced = [replacing.replaced(name), ...messages.disconnecting.work(stopped, continuing)].join(
          messages.between
        )
        const resumed = yield* Resume.resume(userId, event, replaced)
        yield* connectMessages.removeAll(userId, [
          ...resumed,
          ...(sourceInteractionId === undefined ? [] : [sourceInteractionId])
        ])
        // The resumed work reports its own result.
        if (resumed.some((id) => id === sourceInteractionId)) return Option.none()
        return Option.some(
          say([replaced, ...(resumed.length > 0 ? [messages.waitingWorkResumes] : [])].join(messages.between))
        )
      }
    }
  })
}

/** The account's nickname; undefined when it has none or the service does not return it. */
export const nameOf = (grantId: string) =>
  Effect.flatMap(Accounts, (accounts) => accounts.use(grantId, ({ users }) => users.profile)).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.map(({ nickname }) => oneLine(nickname ?? "", 200) || undefined),
    Effect.catchAll((error) =>
      Effect.as(Effect.logDebug("An account does not tell its name", error.message), undefined)
    )
  )
