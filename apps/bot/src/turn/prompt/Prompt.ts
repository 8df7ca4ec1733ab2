import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Guard from "../../access/Guard.ts"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import { Watchdog } from "../../concurrency/Watchdog.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { DiscordClient } from "../../discord/DiscordClient.ts"
import { isGone } from "../../discord/DiscordError.ts"
import type { IncomingMessage } from "../../discord/DiscordEvent.ts"
import type { Priority } from "../../discord/RateBudget.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import { notSent } from "../../messages/Refused.ts"
import type { Action } from "../../model/Access.ts"
import { Inbox, type InboxEntry, isLateOutput, type MessageText } from "../../store/Inbox.ts"
import { messagesFor } from "../../store/Languages.ts"
import { plain } from "../../text/Escape.ts"
import { oneLine } from "../../text/Truncate.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import * as Attachments from "./Attachments.ts"
import * as SessionHistory from "../session/SessionHistory.ts"

/** The text and files of a message for the task, without the mention of the bot. */
export const textOf = ({ attachments, content, place }: IncomingMessage): MessageText => ({
  attachments,
  content: place?.asksForTask === true ? place.prompt : content
})

/**
 * Reads a waiting message again when it may have changed while the gateway was away, or when its file URLs are old.
 * Returns whether the message changed.
 */
export const refresh = Effect.fn("Prompt.refresh")(function* (entry: InboxEntry, priority?: Priority) {
  if (entry.state !== "queued" || entry.first || isLateOutput(entry)) return false
  const connectedSince = (yield* DiscordClient).connectedSince()
  const now = yield* Clock.currentTimeMillis
  const isCurrent = connectedSince !== undefined && entry.receivedAt >= connectedSince
  if (isCurrent && (entry.attachments.length === 0 || now - entry.receivedAt < fileUrlLifetimeMs)) return false
  const inbox = yield* Inbox
  // Wait for Discord: the author may have deleted or edited the message.
  return yield* retryWhileUnavailable((yield* DiscordApi).message(entry.threadId, entry.eventId, priority)).pipe(
    Effect.map(textOf),
    Effect.flatMap((text) => (isReadable(text) ? inbox.updateText(entry.eventId, text, entry) : Effect.succeed(false))),
    Effect.catchAll((error) =>
      isGone(error)
        ? inbox.remove(entry.eventId)
        : Effect.as(
            Effect.logInfo("A waiting message could not be read again; it is taken as it was", error.message),
            false
          )
    )
  )
})

type Prompted = Pick<OpenTurn, "entry" | "messages" | "thread" | "wasQueued">

/**
 * Makes the prompt of a message, and asks the policy whether its author may still say it: `refusal` is the reason why
 * not. Files that the agent does not take are named in the thread.
 */
export const prepare = Effect.fn("Prompt.prepare")(function* (
  turn: Prompted,
  session: Pick<AcpSession, "agent">,
  text: string
) {
  const { entry, messages, thread } = turn
  const agent = yield* session.agent
  const hasSeveralAuthors = yield* (yield* Inbox).hasSeveralAuthors(thread.threadId)
  const { during } = yield* Watchdog
  const { blocks, rejectedNames } = yield* during(
    `Fetching the files of a message in thread ${thread.threadId}`,
    Attachments.toPrompt(
      text === "" ? "" : withAuthor({ ...entry, content: text }, hasSeveralAuthors && !entry.first),
      entry.attachments,
      agent.agentCapabilities?.promptCapabilities ?? {}
    )
  )
  if (rejectedNames.length > 0) {
    const api = yield* DiscordApi
    const body = { content: messages.filesNotTaken(rejectedNames.map(plain).join(", ")) }
    const nonce = `f${entry.eventId}`.slice(0, 25)
    yield* Effect.ignoreLogged(retryWhileUnavailable(api.create(thread.threadId, body, { nonce })))
  }
  // The service may have been away for long, or the account of the thread's owner disconnected: the policy is asked when
  // the prompt can be sent.
  yield* waitUntilConnected(session)
  // The key finds the prompt in the session's history later.
  return { blocks: SessionHistory.withPromptKey(blocks, entry.eventId), refusal: yield* refusalOf(turn) }
})

/** Waits until the session can take a prompt: only then does it give its agent. */
const waitUntilConnected = (session: Pick<AcpSession, "agent">) => Effect.asVoid(session.agent)

/** The text of a message as the agent gets it: with the name of its author where several people write. */
export const withAuthor = (
  { authorId, authorName, content }: Pick<InboxEntry, "authorId" | "authorName" | "content">,
  isShared: boolean
): string => {
  if (!isShared) return content
  const name = oneLine(authorName.replace(/[[\]]/g, ""), 80) || "Someone"
  return `[${name}, Discord user ${authorId}]\n${content}`
}

/**
 * Asks the policy whether the author of a message may still say it; undefined when they may. The author of a message that
 * waited may have left the server meanwhile: Discord does not report that, so it is asked.
 */
const refusalOf = Effect.fn("Prompt.refusalOf")(function* ({ entry, thread, wasQueued }: Prompted) {
  const { channelId, guildId } = thread
  const action: Action = entry.first ? { _tag: "StartTask", channelId, hidden: false } : { _tag: "Reply", task: thread }
  // Discord may be away for a moment; the message is not lost for that.
  const decision = yield* RetrySchedules.repeatWhile(
    Guard.askPolicyAgain(entry.authorId, guildId, action, wasQueued ? 0 : maxMemberAgeMs),
    (decision) => decision === "indeterminate",
    RetrySchedules.policyDecision
  )
  return decision === "allowed" ? undefined : notSent(yield* messagesFor(guildId), entry.authorId, decision, action)
})

/** How old an answer of Discord about a member may be, in milliseconds. */
const maxMemberAgeMs = 5000

/** Without the message content intent, Discord shows most messages as empty. */
const isReadable = ({ attachments, content }: MessageText): boolean => content.trim() !== "" || attachments.length > 0

/** Discord's file URLs work for about a day. */
const fileUrlLifetimeMs = 12 * 3_600_000
