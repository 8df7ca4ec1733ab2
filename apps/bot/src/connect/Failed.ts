import type { OpenApiError } from "@heddle/core/OpenApiError"
import { allowButton, connectButton } from "./Buttons.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { explain, type Purpose } from "../messages/Explain.ts"
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
