import { ErrorCode, type RpcError } from "@heddle/acp/JsonRpc"
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

/** What is known about the message of a turn: the agent did not get it, may have it, or has ended its run. */
export type Delivery = "unsent" | "perhapsSent" | "runEnded"

/** The remedy for a failure of a turn that has been tried for that many minutes; its text is public in the thread. */
export const remedy = (
  failure: Failure,
  messages: Messages,
  ownerId: string,
  delivery: Delivery,
  minutes = 0
): Remedy => {
  const { failures } = messages
  const explainFinal = (text: UserError, requestId?: string): Remedy => ({
    _tag: "Explain",
    text: tell(messages, text, requestId)
  })
  /** Explains with a text that is true only while no run goes on that the bot cannot see. */
  const explainAtRest = ({ happened, ...rest }: UserError): Remedy => {
    const { changed, otherwise } = messages.perhapsSent
    if (delivery === "perhapsSent") return explainFinal({ happened, changed, next: otherwise })
    return explainFinal({ happened, ...rest, ...(delivery === "unsent" ? { changed: messages.unsent.changed } : {}) })
  }
  const tryAgain = (reason: string, requestId?: string): Remedy => ({
    _tag: "TryAgain",
    text: tell(messages, failures.taskUnreachable(minutes), requestId),
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
      // An earlier attempt may have sent the prompt, so what the failed call itself changed or charged says too little.
      return tryAgain(failure._tag, requestIdOf(failure))
    case "NotFound":
      return explainFinal(failures.taskGone, failure.requestId)
    case "ChannelUnavailable":
      return failure.reason === "ended"
        ? explainFinal(taskEnded(messages, delivery === "unsent"))
        : tryAgain("the task has no channel yet")
    case "ConnectionLost":
    // The prompt is not in the history, so it is sent again.
    case "NotDelivered":
      return tryAgain(failure._tag)
    case "TicketError":
      return failure.gone ? explainFinal(failures.taskGone, requestIdOf(failure.cause)) : tryAgain(failure.description)
    case "ChannelRefused":
      return explainAtRest(failures.channelRefused(plain(oneLine(failure.description, 300).replace(/[.!?]+$/, ""))))
    case "RpcError":
      // What the service says for itself names the charge and the next step already.
      return agentFailures.has(reasonOf(failure))
        ? explainFinal(failures.serviceReported(toSentence(failure.message), reasonOf(failure)))
        : explainAtRest(channelErrorText(failure, messages, ownerId))
    case "AgentExited":
      return explainAtRest(failures.agentEnded)
    case "SessionNotFound":
      return explainAtRest(failures.agentForgot)
    case "UnsupportedVersion":
    case "InvalidAnswer":
      return explainAtRest(failures.agentUnclear)
    case "UnsupportedContent":
      return explainAtRest(failures.unsupportedContent(plain(oneLine(failure.type, 100))))
    case "AttachmentTooLarge":
      return explainAtRest(failures.attachmentTooLarge(failure.name, formatBytes(failure.size)))
    case "AttachmentUnreadable":
      return explainAtRest(failures.attachmentUnreadable(failure.name))
    default:
      return {
        _tag: "Explain",
        text: explain(messages, failure, "everybody", delivery === "unsent" ? delivery : "perhapsSent")
      }
  }
}

/** What is told of a task that takes no more prompts. `isUnsent`: it did not get this one. */
export const taskEnded = ({ failures, unsent }: Messages, isUnsent: boolean): UserError => ({
  ...failures.taskEnded,
  ...(isUnsent ? { changed: unsent.changed } : {})
})

/** Whether an error says that the peer did not carry out a request. */
export const isRefusedRequest = (error: Failure): boolean =>
  error._tag === "RpcError" &&
  [ErrorCode.invalidRequest, ErrorCode.methodNotFound, ErrorCode.invalidParams].some((code) => code === error.code)

/** Whether an error is the agent's own word, and not the service's about it. */
export const isOfAgent = (error: { readonly _tag: string }): error is RpcError =>
  error._tag === "RpcError" && reasonOf(error as RpcError) === ""

const reasonOf = ({ data }: RpcError): string =>
  typeof data === "object" && data !== null && "reason" in data ? String(data.reason) : ""

/** What an error of the agent's channel says: the agent's own words, or the service's about the account. */
const channelErrorText = (error: RpcError, { failures }: Messages, ownerId: string): UserError => {
  const reason = reasonOf(error)
  if (reason === "no_credits") return failures.accountStopped(ownerId)
  // A reason that the bot does not know may be about the account. Our own service gives an agent's `data` another place.
  if (reason !== "") return failures.serviceRefused(ownerId)
  const said = toSentence(error.explanation)
  if (refusedKey.test(said)) return failures.keyRefused(said)
  return usedUpQuota.test(said) ? failures.quotaUsedUp(said) : failures.agentReported(said)
}

/** How agents report that the account at the service of their model is used up. */
const usedUpQuota = /\bquota\b|insufficient[ _](quota|credits?|balance|funds)|credit balance|billing/i

/** How agents report that the service of their model refuses their key. */
const refusedKey = /\b40[13]\b|unauthori[sz]ed|forbidden|api[ _-]?key/i

/** The reasons of our own service about its agent. */
const agentFailures: ReadonlySet<string> = new Set(
  ["not_offered", "not_found", "exited", "silent", "version", "sign_in", "refused", "lost", "limit", "attachments"].map(
    (reason) => `agent_${reason}`
  )
)

/** The request id of the call that requested the channel of a task. */
const requestIdOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "requestId" in cause && typeof cause.requestId === "string"
    ? cause.requestId
    : undefined

const toSentence = (text: string): string => {
  const words = oneLine(text, 1500)
  return /[.!?…。！？]$/.test(words) ? words : `${words}.`
}
