import type { AcpError, NotDelivered, UnsupportedContent } from "@heddle/acp/AcpError"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { ChannelUnavailable } from "@heddle/core/Tasks"
import type { AccountEnded } from "../access/AccountBoundWork.ts"
import { explain, tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import type { UserError } from "../messages/UserError.ts"
import { plain } from "../text/Escape.ts"
import { formatBytes } from "../text/Format.ts"
import { oneLine } from "../text/Truncate.ts"
import type { AttachmentTooLarge, AttachmentUnreadable } from "./prompt/Attachments.ts"

/** Everything that an attempt at a turn can fail with. */
export type Failure =
  | OpenApiError
  | ChannelUnavailable
  | AcpError
  | NotDelivered
  | UnsupportedContent
  | AttachmentTooLarge
  | AttachmentUnreadable
  | AccountEnded

/** What is done about a failure. `text` is for the thread, `reason` for the log. */
export type Remedy =
  | { readonly _tag: "Explain"; readonly text: string }
  | { readonly _tag: "TryAgain"; readonly text: string; readonly reason: string }
  | { readonly _tag: "Reconnect" }

/** The remedy for a failure of a turn that has been tried for that many minutes; its text is public in the thread. */
export const remedy = (failure: Failure, messages: Messages, ownerId: string, minutes = 0): Remedy => {
  const { failures } = messages
  const final = (text: UserError, requestId?: string): Remedy => ({
    _tag: "Explain",
    text: tell(messages, text, requestId)
  })
  const again = (reason: string): Remedy => ({
    _tag: "TryAgain",
    text: tell(messages, failures.taskUnreachable(minutes)),
    reason
  })
  switch (failure._tag) {
    case "AccountEnded":
    case "Reauthorize":
    case "InvalidToken":
    case "InvalidGrant":
      return { _tag: "Reconnect" }
    case "Unreachable":
    case "ServiceFailure":
    case "RateLimited":
    case "OutcomeUnknown":
      return { _tag: "TryAgain", text: explain(messages, failure, "everybody"), reason: failure._tag }
    case "NotFound":
      return final(failures.taskGone, failure.requestId)
    case "ChannelUnavailable":
      return failure.reason === "ended" ? final(failures.taskFailed) : again("the task has no channel yet")
    case "ConnectionLost":
    // The prompt is not in the history, so it is sent again.
    case "NotDelivered":
      return again(failure._tag)
    case "TicketError":
      return failure.gone ? final(failures.taskGone, requestOf(failure.cause)) : again(failure.description)
    case "ChannelRefused":
      return final(failures.channelRefused(plain(oneLine(failure.description, 300).replace(/[.!?]+$/, ""))))
    case "RpcError":
      return final(reported(failure.message, failure.data, messages, ownerId))
    case "AgentExited":
      return final(failures.agentEnded)
    case "SessionNotFound":
      return final(failures.agentForgot)
    case "UnsupportedVersion":
    case "InvalidAnswer":
      return final(failures.agentUnclear)
    case "UnsupportedContent":
      return final(failures.unsupportedContent(plain(oneLine(failure.type, 100))))
    case "AttachmentTooLarge":
      return final(failures.attachmentTooLarge(failure.name, formatBytes(failure.size)))
    case "AttachmentUnreadable":
      return final(failures.attachmentUnreadable(failure.name))
    default:
      return { _tag: "Explain", text: explain(messages, failure, "everybody") }
  }
}

/** What an error of the agent's channel says: the agent's own words, or the service's about its agent or the account. */
const reported = (words: string, data: unknown, { failures }: Messages, ownerId: string): UserError => {
  const reason = typeof data === "object" && data !== null && "reason" in data ? String(data.reason) : ""
  if (reason === "no_credits") return failures.accountStopped(ownerId)
  // What the service says for itself names the next step already.
  if (reason.startsWith("agent_")) return failures.serviceReported(sentence(words))
  // Agents give none; what the service says for any other may be about the account.
  return reason === "" ? failures.agentReported(sentence(words)) : failures.serviceRefused(ownerId)
}

/** The request id of the call that asked for the channel of a task. */
const requestOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "requestId" in cause && typeof cause.requestId === "string"
    ? cause.requestId
    : undefined

const sentence = (text: string): string => {
  const words = oneLine(text, 1500)
  return /[.!?…]$/.test(words) ? words : `${words}.`
}
