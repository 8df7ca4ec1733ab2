import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import { Accounts } from "../access/Accounts.ts"
import { allowButton, connectButton } from "../view/ConnectButtons.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { explain, type Purpose } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"

/** The private text for a failed call, with the button of its remedy if there is one. */
const failureBody = (messages: Messages, error: OpenApiError, purpose: Purpose, hasNoAccount = false): MessageBody => {
  const content = explain(messages, error, "person", purpose, hasNoAccount)
  switch (error._tag) {
    case "InsufficientScope":
      return { content, rows: [[allowButton(messages, error.required)]] }
    case "InvalidGrant":
    case "InvalidToken":
    case "Reauthorize":
      return { content, rows: [[connectButton(messages)]] }
    default:
      return { content }
  }
}

/** The text for a failed call on the person's own account, which may not be connected (any more). */
export const failureBodyFor = (
  userId: string,
  messages: Messages,
  error: OpenApiError,
  purpose: Purpose = "act"
): Effect.Effect<MessageBody, never, Accounts> =>
  error._tag === "Reauthorize"
    ? Effect.flatMap(Accounts, (accounts) => accounts.hasNoAccount(userId)).pipe(
        Effect.map((hasNoAccount) => failureBody(messages, error, purpose, hasNoAccount))
      )
    : Effect.succeed(failureBody(messages, error, purpose))
