import type { AcpError, TurnInProgress, UnsupportedContent } from "@heddle/acp/AcpError"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { ChannelUnavailable } from "@heddle/core/Tasks"
import { explain } from "../messages/Explain.ts"
import { english as messages } from "../messages/Messages.ts"
import { bytes, oneLine } from "../view/Fit.ts"
import type { AttachmentTooLarge, AttachmentUnreadable } from "./Attachments.ts"

/** Everything that an attempt at a turn can fail with. */
export type Failure =
  | OpenApiError
  | ChannelUnavailable
  | AcpError
  | TurnInProgress
  | UnsupportedContent
  | AttachmentTooLarge
  | AttachmentUnreadable

/** What is done about a failure. `text` is for the person in the thread, `reason` for the log. */
export type Remedy =
  | { readonly _tag: "Explain"; readonly text: string }
  | { readonly _tag: "TryAgain"; readonly text: string; readonly reason: string }
  | { readonly _tag: "Reconnect" }

/** The remedy for each failure of a turn. */
export const remedy = (failure: Failure): Remedy => {
  switch (failure._tag) {
    case "Reauthorize":
    case "InvalidToken":
    case "InvalidGrant":
      return { _tag: "Reconnect" }
    case "Unreachable":
    case "ServiceFailure":
    case "RateLimited":
    case "OutcomeUnknown":
      return { _tag: "TryAgain", text: explain(failure), reason: failure._tag }
    case "NotFound":
      return { _tag: "Explain", text: messages.taskGone }
    case "ChannelUnavailable":
      return failure.reason === "ended"
        ? { _tag: "Explain", text: messages.taskFailed }
        : { _tag: "TryAgain", text: unavailable, reason: "the task has no channel yet" }
    case "ConnectionLost":
    case "TurnInProgress":
      return { _tag: "TryAgain", text: unavailable, reason: failure._tag }
    case "TicketError":
      return failure.gone
        ? { _tag: "Explain", text: messages.taskGone }
        : { _tag: "TryAgain", text: unavailable, reason: failure.description }
    case "ChannelRefused":
      return {
        _tag: "Explain",
        text: `The task's channel refuses the bot: ${oneLine(failure.description, 300)}. ${unchanged}`
      }
    case "RpcError":
      return {
        _tag: "Explain",
        // What the service says for itself names the next step already.
        text: fromService(failure.data)
          ? sentence(failure.message)
          : `The agent reported: ${sentence(failure.message)}\nYou can send another message here.`
      }
    case "AgentExited":
    case "UnsupportedVersion":
    case "SessionNotFound":
    case "InvalidAnswer":
      return { _tag: "Explain", text: `The agent cannot go on: ${sentence(failure.message)} ${unchanged}` }
    case "UnsupportedContent":
      return { _tag: "Explain", text: `${failure.message}. Nothing was sent. Send your message without it.` }
    case "AttachmentTooLarge":
      return { _tag: "Explain", text: messages.attachmentTooLarge(failure.name, bytes(failure.size)) }
    case "AttachmentUnreadable":
      return { _tag: "Explain", text: messages.attachmentUnreadable(failure.name) }
    default:
      return { _tag: "Explain", text: explain(failure) }
  }
}

const unavailable =
  "The task could not be reached for 15 minutes. Your message is not lost to you, but it was not answered. Please send it again later."

const unchanged = "Please try again; `/task new` starts a new task."

const sentence = (text: string): string => {
  const words = oneLine(text, 1500)
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

/** Whether not the agent refused but the service: it lost its agent, or the account has no credits left. */
const fromService = (data: unknown): boolean =>
  typeof data === "object" &&
  data !== null &&
  "reason" in data &&
  typeof data.reason === "string" &&
  (data.reason.startsWith("agent_") || data.reason === "no_credits")
