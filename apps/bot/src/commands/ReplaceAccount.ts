import type * as SqlClient from "@effect/sql/SqlClient"
import * as CallOptions from "@heddle/core/CallOptions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AtWork from "../account/AtWork.ts"
import { Accounts } from "../connect/Accounts.ts"
import { OpenCards } from "../connect/OpenCards.ts"
import { offeredTo, Replacements } from "../connect/Replacements.ts"
import * as Resume from "../connect/Resume.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { oneLine } from "../view/Fit.ts"
import { type Component, say } from "./Command.ts"

/** Asks whether the account that a person has just signed in with replaces the one that they have. */
export const askToReplace = Effect.fn("ReplaceAccount.ask")(function* (
  userId: string,
  messages: Messages
): Effect.fn.Return<MessageBody, never, Accounts | SqlClient.SqlClient> {
  const { replacing } = messages
  const [before, after] = yield* Effect.all([nameOf(userId), nameOf(offeredTo(userId))], { concurrency: 2 })
  const work = yield* AtWork.count(userId)
  return {
    content: [replacing.question(before, after), ...messages.atWork(work), replacing.choose].join("\n"),
    buttons: [
      [
        { label: replacing.replace, style: "danger", customId: "c3:replace" },
        { label: replacing.keep, style: "secondary", customId: "c3:keep" }
      ]
    ]
  }
})

/** The person has said which of the two accounts it is. */
export const ReplaceAccount: Component<Accounts | OpenCards | Replacements | Resume.Requirements> = {
  id: /^c3:(replace|keep)$/,
  answers: "inPlace",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("ReplaceAccount.handle")(function* ({ customId, reply: { userId } }, messages) {
    const { replacing } = messages
    const accounts = yield* Accounts
    const replacements = yield* Replacements
    if (customId === "c3:keep") {
      yield* replacements.refuse(userId)
      yield* (yield* OpenCards).close(userId, "connected")
      return Option.some(say(replacing.kept))
    }
    const after = yield* nameOf(offeredTo(userId))
    if (!(yield* replacements.accept(userId))) return Option.some(say(replacing.over))
    yield* accounts.connected(userId)
    yield* (yield* OpenCards).close(userId, "connected")
    const resumed = yield* Resume.resume(userId)
    return Option.some(
      say([replacing.replaced(after), ...(resumed > 0 ? [messages.goesOn] : [])].join(messages.between))
    )
  })
}

/** What an account is called, as its profile shows it; undefined when it has no nickname, or that is not known now. */
const nameOf = (grantId: string) =>
  Effect.flatMap(Accounts, (accounts) => accounts.use(grantId, ({ users }) => users.profile)).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.map(({ nickname }) => oneLine(nickname ?? "", 200) || undefined),
    Effect.catchAll((error) =>
      Effect.as(Effect.logDebug("An account does not tell its name", error.message), undefined)
    )
  )
