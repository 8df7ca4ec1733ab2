import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import { Accounts } from "./Accounts.ts"
import { allowButton, connectButton } from "./Buttons.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { explain, type Purpose, tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"

/** What a person is told privately of a call that failed, with the button of its remedy where there is one. */
export const failed = (messages: Messages, error: OpenApiError, purpose: Purpose = "act"): MessageBody => {
  const content = explain(messages, error, "person", purpose)
  switch (error._tag) {
    case "InsufficientScope":
      return { content, buttons: [[allowButton(messages, error.required)]] }
    case "InvalidGrant":
    case "InvalidToken":
    case "Reauthorize":
      return { content, buttons: [[connectButton(messages)]] }
    default:
      return { content }
  }
}

/** What a person is told of a call on their own account, which they may not have (any more). */
export const failedFor = (
  userId: string,
  messages: Messages,
  error: OpenApiError,
  purpose: Purpose = "act"
): Effect.Effect<MessageBody, never, Accounts> =>
  Effect.gen(function* () {
    const body = failed(messages, error, purpose)
    if (error._tag !== "Reauthorize" || !(yield* (yield* Accounts).hasNone(userId))) return body
    const { noAccount } = messages.failures
    return { ...body, content: tell(messages, purpose === "read" ? { ...noAccount, changed: "" } : noAccount) }
  })
